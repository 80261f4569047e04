/* A file from which somebody goes on later. It is written beside the last one and takes its place when it is whole, so
 * there is always one; and it is read only if it is whole, of this version and of such a machine. */
#ifndef HEDDLE_ARCHIVE_H
#define HEDDLE_ARCHIVE_H

#include "base/base.h"

struct archive;

struct archive *archive_create(const char *path); /* NULL with errno */
void archive_put(struct archive *a, const void *bytes, size_t n);
void archive_put_word(struct archive *a, uint64_t word);
void archive_put_text(struct archive *a, const char *text);
int archive_commit(struct archive *a); /* -1 with errno: the last one stays; frees the archive in any case */

struct archive *archive_open(const char *path, char **why); /* NULL, and why it cannot be used (heap) */
/* What was put, in that order. After a read beyond the end, or of a size that cannot be, everything is zero, and
 * archive_is_bad(). */
void archive_get(struct archive *a, void *bytes, size_t n);
uint64_t archive_get_word(struct archive *a);
uint64_t archive_get_below(struct archive *a, uint64_t limit); /* a word that must be less */
char *archive_get_text(struct archive *a);                     /* heap */
bool archive_is_bad(const struct archive *a);
void archive_close(struct archive *a);

#endif
