/* What the preloaded library and the supervisor share with the test: a file of this shape, mapped by whoever counts. */
#ifndef FAULTS_H
#define FAULTS_H

#include <stdint.h>

enum { FAULT_FRAMES = 24 };
struct fault_report {
    uint64_t calls;                /* that could have failed */
    uint64_t hits;                 /* that did */
    uint64_t frames[FAULT_FRAMES]; /* of the first one: offsets in the program, 0: elsewhere */
    char object[128];              /* the file that the first caller outside of libc belongs to */
};

/* fallocate() with these arguments does nothing; it tells the supervisor that main() is about to begin. */
#define FAULT_MARK_FD (-1)
#define FAULT_MARK_MODE 0x4845

#endif
