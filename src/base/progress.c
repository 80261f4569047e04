/* The progress line. */
#include "base/progress.h"

#include <unistd.h>

void progress_start(struct progress *p, bool wanted)
{
    *p = (struct progress){.enabled = wanted && isatty(2), .started = seconds_now()};
    p->next = p->started + 0.5;
}

bool progress_due(struct progress *p)
{
    if (!p->enabled) return false;
    double now = seconds_now();
    if (now < p->next) return false;
    p->next = now + 0.5;
    return true;
}

void progress_show(struct progress *p, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    fputs("\r\033[K", stderr);
    vfprintf(stderr, fmt, ap);
    fflush(stderr);
    va_end(ap);
    p->shown = true;
}

void progress_clear(struct progress *p)
{
    if (p->shown) fputs("\r\033[K", stderr);
    p->shown = false;
}
