/* Holzmann and Florian, Appendix C: the error needs as many preemptions as there can be. */
#define N 10
int count;
active [N] proctype p() { count++; count-- }
never { do :: assert(count != N) od }
