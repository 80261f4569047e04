/* A non-blocking queue with a fault, in the place of the nbq of Holzmann and Florian, which is not printed: a linked
 * queue with a dummy node, compare-and-swap and no version numbers. A node that was dequeued is used again at once, so a
 * dequeuer that has read the head and what follows it can find the same head in another place (ABA), and make a node
 * the head that is no longer in the queue. */
#define NIL 0
#define cas(x, old, new) atomic { if :: x == old -> x = new; done = true :: else -> done = false fi }

byte head = 1, tail = 1, follower[4];   /* nodes 1 to 3, the dummy first */
bool built, queued[4];                       /* what is in the queue, for the assertion */

inline enqueue(node) {
    follower[node] = NIL;
    queued[node] = true;
    do
    :: last = tail; next = follower[last];
       if
       :: next == NIL -> cas(follower[last], NIL, node); if :: done -> break :: else fi
       :: else -> cas(tail, last, next)
       fi
    od;
    cas(tail, last, node)
}

inline dequeue(node) {
    do
    :: first = head; next = follower[first];
       if
       :: next == NIL -> node = NIL; break
       :: else ->
            cas(head, first, next);
            if
            :: done -> assert(queued[next]); queued[next] = false; node = first; break
            :: else
            fi
       fi
    od
}

active proctype user() {
    byte first, last, next, mine, other;
    bool done;
    atomic { follower[1] = 2; follower[2] = 3; queued[2] = true; queued[3] = true; tail = 3; built = true };
    dequeue(mine);
    dequeue(other);
    if :: mine == 1 && other == 2 -> enqueue(mine); dequeue(other) :: else fi
}

active proctype consumer() {
    byte first, next, mine;
    bool done;
    built;
    dequeue(mine)
}
