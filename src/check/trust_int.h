/* What a trace or a checkpoint may ask for without --trust (trust.c). Internal to src/check. */
#ifndef HEDDLE_TRUST_INT_H
#define HEDDLE_TRUST_INT_H

#include "base/base.h"

/* Whether a file, which need not exist, lies below a directory once all links are followed. */
bool trust_is_below(const char *path, const char *directory);
/* Whether NAME or NAME=VALUE, as after -D, can name no file and, with numbers_only, no function either. */
bool trust_is_define(const char *define, bool numbers_only);

#endif
