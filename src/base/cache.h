/* Files that took time to make, kept for later runs in $XDG_CACHE_HOME/heddle (~/.cache/heddle).
 *
 * A file has a key: a hash of everything that it was made from. Many processes may read and write at the same
 * time: a file is written under another name and then renamed, so it is whole or not there. Nothing is believed: a
 * directory or a file that belongs to somebody else or that others may write to is not used, and what is read has
 * to have the key, the length and the hash that it was written with. The whole takes at most CACHE_BYTES; what was
 * not used for longest goes first. */
#ifndef HEDDLE_CACHE_H
#define HEDDLE_CACHE_H

#include "base/base.h"

#define CACHE_BYTES ((uint64_t)64 << 20)

char *cache_directory(void); /* heap; NULL: neither variable says where. It need not exist */
int cache_fetch(const char *key); /* a descriptor of a copy in memory, to be closed; -1: there is none that will do */
void cache_keep(const char *key, const char *path); /* a copy of the file; nothing happens if that is not possible */

#endif
