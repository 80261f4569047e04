/* The same, with workers that put blocks into the output without its lock.
needs: bzlib.h
needs: pbzip2.h
compiler: g++
flags: -O1 -w -I$REAL/pbzip2/made -I$REAL/pbzip2 -DINPUT=\"$REAL/pbzip2/made/input.txt\" -DUSE_STACKSIZE_CUSTOMIZATION
link: $REAL/pbzip2/BZ2StreamScanner.cpp $REAL/pbzip2/ErrorContext.cpp -lbz2
expect with --executions=2000: ERROR (race|misuse): .*pbzip2.cpp
*/
#include "pbzip2.cc"
