byte y;
active proctype p() {
    y = 1;
    skip;
there: false
}
active proctype q() { y == 1; assert(p@there) }
