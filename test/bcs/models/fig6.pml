/* In the manner of Fig. 6 of Holzmann and Florian: the state after y = 1, y = 2 and y = 0 is found first by way of two
 * switches (b begins), and later by way of one (a begins). With at most two switches only the second way has one left for the
 * assertion, so a search that does not visit the state again misses the error. */
byte y = 3;
active proctype a() { y = 1; assert(y != 0) }
active proctype b() { y = 2; y = 0; y = 2 }
