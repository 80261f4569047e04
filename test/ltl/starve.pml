/* Starvation needs one preemption: the waiting process is left in the middle of its request. */
bit want;
byte served;
active proctype asks() { want = 1; served = 1 - served; want = 0 }
active proctype works() { do :: served < 9 od }
ltl answered { [] (want -> <> !want) }
