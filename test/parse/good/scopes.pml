init { { int x = 1; { int y = x; y++ } }; { int x = 2; { int y = x; y++ } }; int z; z = 1 }
proctype later() { int g; g = 1 }
int g;
active proctype last() { g = 1 }
