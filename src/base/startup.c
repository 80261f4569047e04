/* What a program can inherit that would make it fail in strange ways, mended before anything else happens. */
#define _GNU_SOURCE
#include "base/startup.h"

#include "base/base.h"
#include "base/leftovers_int.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

/* The number of a closed descriptor would go to the next file that is opened, which would then get what is printed.
 * A closed standard output stays one that cannot be written to: nobody will read the verdict, and that is an error. */
static void open_missing(void)
{
    static const int modes[] = {O_RDONLY, O_RDONLY, O_RDWR};
    for (int fd = 0; fd < (int)ARRAY_LEN(modes); fd++)
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", modes[fd]) != fd) _exit(EXIT_BAD_INPUT);
}

static void do_nothing(int number) { (void)number; }

void startup(void)
{
    open_missing();
    signal(SIGCHLD, SIG_DFL);    /* ignored, it would keep the end of our children from us */
    signal(SIGXFSZ, do_nothing); /* the write that is one too many fails; children get the default again */
    leftovers_watch();
}
