/* The first thing that main() does. */
#ifndef HEDDLE_STARTUP_H
#define HEDDLE_STARTUP_H

/* Mends what whoever started us may have left broken, and from here on a crash says so before it ends the program. */
void startup(void);

#endif
