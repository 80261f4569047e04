/* A ring buffer without a lock. Writers reserve a slot and fill it later; one that is overtaken by a whole round writes
 * into a slot that a reader has not emptied. */
#ifndef W
#define W 4
#endif
#define SIZE 4
byte head, tail, slot[SIZE], written[W];
proctype writer(byte me)
{
    byte mine;
    do
    :: written[me] < 12 ->
       atomic { (head + 16 - tail) % 16 < SIZE -> mine = head; head = (head + 1) % 16 };
       atomic { assert(slot[mine % SIZE] == 0); slot[mine % SIZE] = 1 + mine };
       written[me]++
    :: else -> break
    od
}
active proctype reader()
{
    byte got;
end: do
    :: tail != head && (slot[tail % SIZE] != 0 || written[0] > 9) -> got = slot[tail % SIZE]; slot[tail % SIZE] = 0; tail = (tail + 1) % 16
    od
}
init { byte i; atomic { for (i : 0 .. W - 1) { run writer(i) } } }
