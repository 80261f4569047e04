/* Data management, in the place of the mrf of Holzmann and Florian, which is not printed: a writer appends files to a ring of slots, a
 * cleaner frees slots of files that were sent or are old, a sender sends them when the link is up. The property: what is
 * requested is sent or refused sooner or later. It does not hold: the cleaner can free the slot and the request stays. */
#ifndef SLOTS
#define SLOTS 2
#endif
#ifndef REQUESTS
#define REQUESTS 1
#endif
mtype = { empty_slot, filled, sent };
mtype slot[SLOTS] = empty_slot;
byte next, wanted = SLOTS;
bool up = true;
chan request = [REQUESTS] of { byte };

ltl answered { [] (wanted < SLOTS -> <> (wanted == SLOTS)) }

active proctype writer() {
    do
    :: slot[next] == empty_slot -> slot[next] = filled; next = (next + 1) % SLOTS
    od
}

active proctype ground() {
    byte which;
    do
    :: nfull(request) -> select(which : 0 .. SLOTS - 1); request!which; which = 0
    od
}

active proctype sender() {
    byte which;
    do
    :: wanted == SLOTS -> request?which; wanted = which
    :: wanted < SLOTS && up && slot[wanted] == filled -> slot[wanted] = sent; wanted = SLOTS; which = 0
    od
}

active proctype cleaner() {
    byte at;
    do
    :: slot[at] == sent -> slot[at] = empty_slot; at = (at + 1) % SLOTS
    :: slot[at] == filled -> slot[at] = empty_slot; at = (at + 1) % SLOTS   /* old */
    :: slot[at] == empty_slot -> at = (at + 1) % SLOTS
    od
}

active proctype link() {
    do :: up -> up = false :: !up -> up = true od
}
