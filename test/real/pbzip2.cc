/* pbzip2: a file of three blocks, two workers. From source, but for main.
needs: bzlib.h
needs: pbzip2.h
compiler: g++
flags: -O1 -w -I$REAL/pbzip2 -DINPUT=\"$REAL/pbzip2/made/input.txt\" -DUSE_STACKSIZE_CUSTOMIZATION
link: $REAL/pbzip2/BZ2StreamScanner.cpp $REAL/pbzip2/ErrorContext.cpp -lbz2
expect with --executions=200: UNKNOWN no error in
*/
#define main pbzip2_main
#include "pbzip2.cpp"
#undef main
int main()
{
    static char input[] = INPUT;
    char *words[] = {(char *)"pbzip2", (char *)"-c", (char *)"-k", (char *)"-p2", (char *)"-b1", input, NULL};
    return pbzip2_main(6, words);
}
