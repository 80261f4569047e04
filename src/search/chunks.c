/* States on their way from one round to the next, in chunks: in memory or, when that becomes scarce, in a file. */
#define _GNU_SOURCE
#include "search/levels_int.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct chunk *chunk_new(struct levels *l)
{
    struct chunk *c = NULL;
    if (budget_take(&l->run->budget, chunk_bytes(l))) {
        c = malloc(chunk_bytes(l));
        if (!c) budget_give_up(&l->run->budget, chunk_bytes(l));
    }
    if (!c) stop(l, STOP_MEMORY);
    else *c = (struct chunk){.codes = (uint64_t *)(void *)(c + 1)};
    if (c) c->items = (struct item *)(void *)(c->codes + (l->carries ? (size_t)CHUNK_ITEMS * l->words : 0));
    return c;
}

void chunk_free(struct levels *l, struct chunk *c)
{
    budget_give(&l->run->budget, c->spilled ? sizeof *c : chunk_bytes(l));
    free(c);
}

/* ---- files ---- */

bool spill_is_due(const struct levels *l)
{
    if (!l->spill.is_open) return false;
    size_t from = l->run->opt->spill_from ? l->run->opt->spill_from : l->run->budget.limit / 2;
    return from && __atomic_load_n(&l->run->budget.used, __ATOMIC_RELAXED) > from;
}

/* Without names: nothing is left of them, whichever way the process ends. */
static int open_nameless(const char *directory)
{
    int fd = open(directory, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (fd >= 0 || errno != EOPNOTSUPP) return fd;
    struct str path = {0};
    str_printf(&path, "%s/heddle-XXXXXX", directory);
    fd = mkostemp(path.at, O_CLOEXEC);
    if (fd >= 0) unlink(path.at);
    free(path.at);
    return fd;
}

void spill_open(struct levels *l)
{
    struct spill *s = &l->spill;
    if (!l->run->opt->spill) return;
    for (int i = 0; i < 2; i++) s->file[i] = open_nameless(l->run->opt->spill);
    s->is_open = s->file[0] >= 0 && s->file[1] >= 0;
    if (!s->is_open) l->run->res->spill_error = errno;
}

void spill_close(struct levels *l)
{
    for (int i = 0; i < 2 && l->run->opt->spill; i++)
        if (l->spill.file[i] >= 0) close(l->spill.file[i]);
}

static size_t bytes_in_file(const struct levels *l, const struct chunk *c)
{
    return c->len * (sizeof *c->items + (l->carries ? l->words * sizeof *c->codes : 0));
}

static bool write_all(int fd, const void *from, size_t bytes, uint64_t at)
{
    for (ssize_t n; bytes; bytes -= (size_t)n, at += (size_t)n, from = (const char *)from + n) {
        n = pwrite(fd, from, bytes, (off_t)at);
        if (n < 0 && errno == EINTR) n = 0;
        else if (n <= 0) return false;
    }
    return true;
}

static bool read_all(int fd, void *to, size_t bytes, uint64_t at)
{
    for (ssize_t n; bytes; bytes -= (size_t)n, at += (size_t)n, to = (char *)to + n) {
        n = pread(fd, to, bytes, (off_t)at);
        if (n < 0 && errno == EINTR) n = 0;
        else if (n <= 0) return false;
    }
    return true;
}

struct chunk *chunk_spill(struct levels *l, struct chunk *c)
{
    struct spill *s = &l->spill;
    int fd = s->file[l->rounds % 2];
    size_t items = c->len * sizeof *c->items, bytes = bytes_in_file(l, c);
    if (c->spilled || !budget_take_if_any(&l->run->budget, sizeof *c)) return c;
    uint64_t at = __atomic_fetch_add(&s->end[l->rounds % 2], bytes, __ATOMIC_RELAXED);
    if (!write_all(fd, c->items, items, at) || !write_all(fd, c->codes, bytes - items, at + items)) {
        l->run->res->spill_error = errno;
        budget_give(&l->run->budget, sizeof *c);
        return c;
    }
    struct chunk *stub = xmalloc(sizeof *stub);
    *stub = (struct chunk){.len = c->len, .next = c->next, .spilled = true, .file = fd, .at = at};
    __atomic_add_fetch(&l->run->res->spilled, c->len, __ATOMIC_RELAXED);
    chunk_free(l, c);
    return stub;
}

bool chunk_read(struct levels *l, const struct chunk *stub, struct chunk *to)
{
    size_t items = stub->len * sizeof *to->items, bytes = bytes_in_file(l, stub);
    to->len = stub->len;
    to->next = stub->next;
    if (read_all(stub->file, to->items, items, stub->at) &&
        read_all(stub->file, to->codes, bytes - items, stub->at + items)) return true;
    l->run->res->spill_error = errno ? errno : EIO;
    stop(l, STOP_MEMORY);
    return false;
}

/* What was written for the round that is over is done with, and the next one writes there. */
void spill_end_round(struct levels *l)
{
    struct spill *s = &l->spill;
    int old = (l->rounds + 1) % 2;
    if (!s->is_open || !s->end[old]) return;
    if (ftruncate(s->file[old], 0)) l->run->res->spill_error = errno;
    s->end[old] = 0;
    malloc_trim(0); /* or the system does not get back what chunks have given up */
}
