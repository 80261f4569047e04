/* pids are seen: whether the first kid has died decides about the pid of the second */
byte made[8];
proctype kid() { skip }
init { pid a, b; a = run kid(); made[a] = 1; b = run kid(); made[b] = 1; assert(!made[2]) }
