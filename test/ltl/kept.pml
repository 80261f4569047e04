/* What must be seen of a process on its way to a label: that it is not there yet after a step that others can see
 * (p), and that it made no progress where it stood (q), though the step that is left is nobody else's business. */
byte y;
active proctype p() {
    y = 1;
    skip;
there: false
}
active proctype q() {
    byte l;
progress_1: l = 1;
end_2: skip;
progress_3: l == 2
}
active proctype r() { do :: y = y od }
ltl at_once { [] ((y == 1) -> p@there) }
