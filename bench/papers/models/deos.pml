/* A scheduler with time slices, in the place of the model of DEOS of Holzmann and Florian, which is not printed: threads have a budget of
 * time in each period; a timer interrupts, charges the running thread and lets the next one run; a thread may yield and
 * give what is left of its budget to a pool that others may draw from. Time does not run out of a period twice. */
#ifndef N
#define N 3
#endif
#define BUDGET 2
#define PERIOD 5
#define NOBODY 255

byte budget[N] = BUDGET, pool, now, running = NOBODY, waiting = N;
bool ready[N] = true, interrupt;

inline charge(t) {
    if
    :: budget[t] > 0 -> budget[t]--
    :: else -> pool > 0 -> pool--
    fi
}

active [N] proctype thread() {
    byte me = _pid;
    do
    :: running == me && !interrupt ->
        if
        :: skip                                     /* works */
        :: atomic { ready[me] -> ready[me] = false; pool = pool + budget[me]; budget[me] = 0; running = NOBODY }
        fi
    od
}

active proctype kernel() {
    byte t;
    do
    :: interrupt || running == NOBODY ->
        t = running;
        if
        :: t != NOBODY -> if :: budget[t] > 0 || pool > 0 -> charge(t) :: else -> ready[t] = false fi
        :: else
        fi;
        interrupt = false;
        t = 0;
        do
        :: t < N && !(ready[t] && (budget[t] > 0 || pool > 0)) -> t++
        :: t < N && ready[t] && (budget[t] > 0 || pool > 0) -> running = t; break
        :: t < N && ready[t] && (budget[t] > 0 || pool > 0) && t + 1 < N -> t++   /* priorities may be inverted */
        :: t == N -> running = NOBODY; interrupt; break
        od;
        t = 0
    od
}

active proctype timer() {
    byte t;
    do
    :: !interrupt && now < PERIOD -> now++; interrupt = true
    :: !interrupt && now == PERIOD ->
        atomic {
            now = 0; pool = 0; t = 0;
            do :: t < N -> budget[t] = BUDGET; ready[t] = true; t++ :: else -> break od;
            interrupt = true
        }
    od
}
