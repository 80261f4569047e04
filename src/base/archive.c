#include "base/archive.h"

#include "base/version.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

enum { FORMAT = 6, BUFFER = 1 << 20, LONGEST_TEXT = 1 << 26 };

struct head {
    char magic[16];
    uint32_t format, order; /* order: of the bytes in a word */
    char version[32], machine[32];
    uint64_t length, sum;   /* of what follows */
};
#define MAGIC "heddle archive\n"
#define ORDER UINT32_C(0x01020304)

struct archive {
    FILE *f;
    char *path, *temporary; /* temporary NULL: it is being read */
    struct head head;
    XXH3_state_t *sum;
    uint64_t left;          /* to be read */
    bool failed;
};

static const char *machine(void)
{
#if defined __x86_64__
    return "x86_64";
#elif defined __aarch64__
    return "aarch64";
#else
    return "another machine";
#endif
}

static struct archive *archive_new(FILE *f, const char *path)
{
    struct archive *a = xcalloc(1, sizeof *a);
    a->f = f;
    a->path = xstrdup(path);
    a->sum = XXH3_createState();
    if (!a->sum) die("out of memory");
    XXH3_64bits_reset(a->sum);
    return a;
}

static void archive_free(struct archive *a)
{
    XXH3_freeState(a->sum);
    free(a->path);
    free(a->temporary);
    free(a);
}

/* ---- writing ---- */

struct archive *archive_create(const char *path)
{
    struct str temporary = {0};
    str_printf(&temporary, "%s.new", path);
    FILE *f = fopen(temporary.at, "wb");
    if (!f) {
        str_release(&temporary);
        return NULL;
    }
    setvbuf(f, NULL, _IOFBF, BUFFER);
    struct archive *a = archive_new(f, path);
    a->temporary = temporary.at;
    a->failed = fwrite(&a->head, sizeof a->head, 1, f) != 1; /* of zeros, until it is whole */
    return a;
}

void archive_put(struct archive *a, const void *bytes, size_t n)
{
    if (a->failed || !n) return;
    XXH3_64bits_update(a->sum, bytes, n);
    a->failed = fwrite(bytes, 1, n, a->f) != n;
    a->head.length += n;
}

void archive_put_word(struct archive *a, uint64_t word) { archive_put(a, &word, sizeof word); }

void archive_put_text(struct archive *a, const char *text)
{
    archive_put_word(a, strlen(text));
    archive_put(a, text, strlen(text));
}

static void complete_head(struct archive *a)
{
    struct head *h = &a->head;
    memcpy(h->magic, MAGIC, sizeof MAGIC - 1);
    h->format = FORMAT;
    h->order = ORDER;
    snprintf(h->version, sizeof h->version, "%s", HEDDLE_VERSION);
    snprintf(h->machine, sizeof h->machine, "%s", machine());
    h->sum = XXH3_64bits_digest(a->sum);
    a->failed |= fseek(a->f, 0, SEEK_SET) || fwrite(h, sizeof *h, 1, a->f) != 1;
    a->failed |= fflush(a->f) || fsync(fileno(a->f));
}

int archive_commit(struct archive *a)
{
    errno = 0;
    complete_head(a);
    int error = a->failed ? (errno ? errno : EIO) : 0;
    if (fclose(a->f) && !error) error = errno;
    if (!error && rename(a->temporary, a->path)) error = errno;
    if (error) unlink(a->temporary);
    archive_free(a);
    errno = error;
    return error ? -1 : 0;
}

/* ---- reading ---- */

static const char *what_is_wrong(const struct head *h, bool read)
{
    if (!read || memcmp(h->magic, MAGIC, sizeof MAGIC - 1)) return "is not a checkpoint, or not a whole one";
    if (h->order != ORDER || strncmp(h->machine, machine(), sizeof h->machine)) return "was written on another machine";
    if (h->format != FORMAT || strncmp(h->version, HEDDLE_VERSION, sizeof h->version))
        return "was written by another version of heddle";
    return NULL;
}

static const char *sum_is_wrong(struct archive *a)
{
    char *buffer = xmalloc(BUFFER);
    uint64_t length = 0;
    for (size_t n; (n = fread(buffer, 1, BUFFER, a->f)); length += n) XXH3_64bits_update(a->sum, buffer, n);
    free(buffer);
    if (length != a->head.length) return length < a->head.length ? "is cut short" : "is longer than it should be";
    if (XXH3_64bits_digest(a->sum) != a->head.sum) return "is damaged";
    return NULL;
}

struct archive *archive_open(const char *path, char **why)
{
    struct str words = {0};
    FILE *f = fopen(path, "rb");
    if (!f) {
        str_printf(&words, "%s: %s", path, strerror(errno));
        *why = words.at;
        return NULL;
    }
    struct archive *a = archive_new(f, path);
    const char *wrong = what_is_wrong(&a->head, fread(&a->head, sizeof a->head, 1, f) == 1);
    if (!wrong) wrong = sum_is_wrong(a);
    if (!wrong && fseek(f, sizeof a->head, SEEK_SET)) wrong = "cannot be read twice";
    if (wrong) {
        str_printf(&words, "%s %s", path, wrong);
        *why = words.at;
        archive_close(a);
        return NULL;
    }
    a->left = a->head.length;
    return a;
}

void archive_get(struct archive *a, void *bytes, size_t n)
{
    if (!n) return;
    a->failed |= n > a->left;
    if (!a->failed) a->failed = fread(bytes, 1, n, a->f) != n;
    if (a->failed) memset(bytes, 0, n);
    else a->left -= n;
}

uint64_t archive_get_word(struct archive *a)
{
    uint64_t word;
    archive_get(a, &word, sizeof word);
    return word;
}

uint64_t archive_get_below(struct archive *a, uint64_t limit)
{
    uint64_t word = archive_get_word(a);
    if (word < limit) return word;
    a->failed = true;
    return 0;
}

char *archive_get_text(struct archive *a)
{
    size_t n = archive_get_below(a, LONGEST_TEXT);
    if (n > a->left) a->failed = true, n = 0;
    char *text = xcalloc(1, n + 1);
    archive_get(a, text, n);
    return text;
}

bool archive_is_bad(const struct archive *a) { return a->failed; }

void archive_close(struct archive *a)
{
    if (!a) return;
    fclose(a->f);
    archive_free(a);
}
