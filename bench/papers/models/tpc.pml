/* Call processing, in the place of the tpc of Holzmann and Florian, which is not printed: lines that go off hook, dial, ring,
 * talk and hang up, and a switch that sets calls up over channels. The fault: a line that hangs up while its call is being set up
 * is told apart from one that never called only by its state, which the switch looks at too early. */
#ifndef N
#define N 2
#endif
#ifndef QUEUE
#define QUEUE 1
#endif
#define NOBODY 255
mtype = { offhook, dial, onhook, answer, ring, busy, connect, release };
mtype = { idle, dialing, ringing, talking };

chan to_switch = [QUEUE] of { mtype, byte, byte };
chan to_line[N] = [1] of { mtype };
mtype mode[N] = idle;
byte peer[N] = NOBODY;

active [N] proctype line() {
    byte me = _pid, other;
    mtype m;
on_hook:
    do
    :: to_line[me]?ring -> to_switch!answer(me, 0); goto in_call
    :: to_line[me]?release
    :: empty(to_line[me]) -> to_switch!offhook(me, 0); goto off_hook
    od;
off_hook:
#ifdef SMALL
    other = (me + 1) % N;       /* nobody calls himself */
#else
    select(other : 0 .. N - 1);
#endif
    if
    :: to_switch!dial(me, other)
#ifndef SMALL
    :: to_switch!onhook(me, 0); goto on_hook
#endif
    fi;
    if
    :: to_line[me]?connect
    :: to_line[me]?busy -> to_switch!onhook(me, 0); goto on_hook
    :: to_line[me]?ring -> skip             /* rung while dialing: both wait */
    :: to_line[me]?release -> to_switch!onhook(me, 0); goto on_hook
    fi;
in_call:
    do
    :: to_line[me]?m; if :: m == release -> break :: else fi
    :: to_switch!onhook(me, 0); goto on_hook
    od;
    to_switch!onhook(me, 0);
    goto on_hook
}

active proctype exchange() {
    mtype m;
    byte who, other;
    do
    :: to_switch?m(who, other) ->
        if
        :: m == offhook -> mode[who] = dialing
        :: m == dial ->
            if
            :: other == who || mode[other] != idle -> to_line[who]!busy
            :: else ->
                peer[who] = other; peer[other] = who;
                mode[other] = ringing;
                to_line[other]!ring
            fi
        :: m == answer ->
            assert(peer[who] != NOBODY);    /* somebody answers a call that was given up */
            if
            :: peer[who] != NOBODY ->
                mode[who] = talking; mode[peer[who]] = talking;
                to_line[peer[who]]!connect
            :: else                         /* a search for all errors goes on here */
            fi
        :: m == onhook ->
            if
            :: peer[who] != NOBODY ->
                other = peer[who];
                peer[who] = NOBODY; peer[other] = NOBODY;
                to_line[other]!release
            :: else
            fi;
            mode[who] = idle
        fi;
        who = 0; other = 0
    od
}
