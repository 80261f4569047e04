/* A non-blocking stack of nodes 1 -> 2 -> 0 without version numbers. pop() reads the top and what is below it, and then
 * swings the top if it is still the same node. It may be the same node in another place: somebody popped both nodes and
 * pushed the first one again. Then the second node, which is somebody else's, becomes the top. */
byte top = 1, below[3];
bool taken[3];

inline pop(node, next) {
    do
    :: node = top; next = below[node];
       if
       :: atomic { top == node -> top = next; taken[node] = true }; break
       :: top != node
       fi
    od
}

inline push(node) {
    atomic { below[node] = top; top = node; taken[node] = false }
}

active proctype popper() {
    byte mine, next;
    below[1] = 2;
    pop(mine, next);
    assert(!taken[top])
}

active proctype recycler() {
    byte first, second, next;
    below[1] == 2;
    pop(first, next);
    if
    :: first == 1 && top != 0 -> pop(second, next); push(first)
    :: else
    fi
}
