/* Temporary directories and files. */
#define _GNU_SOURCE
#include "base/tempdir.h"

#include "base/leftovers_int.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static const char *parent_directory(void)
{
    const char *wanted = getenv("TMPDIR");
    return wanted && *wanted ? wanted : "/tmp";
}

/* The working directory may change, and files in the directory are named in messages: absolute. */
static char *template(void)
{
    char *parent = realpath(parent_directory(), NULL);
    if (!parent) return NULL;
    struct str s = {0};
    str_printf(&s, "%s/heddle-XXXXXX", strcmp(parent, "/") ? parent : "");
    free(parent);
    return s.at;
}

int tempdir_make(struct tempdir *d)
{
    sigset_t before;
    assert(!d->path);
    char *path = template();
    if (!path) return -1;
    leftovers_hold(&before);
    bool made = mkdtemp(path) != NULL;
    int error = errno;
    if (made) leftovers_add_directory(path);
    leftovers_let_go(&before);
    if (made) {
        d->path = path;
        return 0;
    }
    free(path);
    errno = error;
    return -1;
}

void tempdir_require(struct tempdir *d)
{
    if (tempdir_make(d)) die("cannot make a temporary directory in %s: %s", parent_directory(), strerror(errno));
}

char *tempdir_file(const struct tempdir *d, const char *name)
{
    struct str s = {0};
    assert(d->path && *name && !strchr(name, '/'));
    str_printf(&s, "%s/%s", d->path, name);
    return s.at;
}

void tempdir_remove(struct tempdir *d)
{
    if (!d->path) return;
    remove_tree(d->path);
    leftovers_forget_directory(d->path);
    free_null((void **)&d->path);
}

int nameless_file(const char *what)
{
    int fd = memfd_create(what, MFD_CLOEXEC);
    if (fd < 0) die("cannot make a temporary file: %s", strerror(errno));
    return fd;
}
