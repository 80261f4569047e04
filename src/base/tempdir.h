/* Temporary directories, below $TMPDIR or /tmp, that are gone when the process is gone (leftovers_int.h); and temporary
 * files without a name, which are kept in memory. */
#ifndef HEDDLE_TEMPDIR_H
#define HEDDLE_TEMPDIR_H

#include "base/base.h"

struct tempdir { char *path; }; /* absolute; NULL: none */

int tempdir_make(struct tempdir *d); /* 0, or -1 with errno */
void tempdir_require(struct tempdir *d); /* the same; dies if it cannot be made */
char *tempdir_file(const struct tempdir *d, const char *name); /* the path of a file in it (heap) */
void tempdir_remove(struct tempdir *d); /* with all that is in it; nothing happens if there is none */

int nameless_file(const char *what); /* a descriptor, closed on exec; dies if it cannot be made */

#endif
