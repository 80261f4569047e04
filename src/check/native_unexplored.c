/* What a real program did that can happen in more ways than Heddle explores, in the words of the verdict. */
#include "check/native_int.h"

static const char *const words[] = {
    [RT_EARLY_THREADS] = "threads made before main() that begin before main()",
    [RT_PLAIN_HANDLERS] = "signal handlers that begin between two scheduling points",
    [RT_PLAIN_CANCELLATION] = "asynchronous cancellation between two scheduling points",
    [RT_OMP_TASKS] = "OpenMP tasks that run later than they are created",
    [RT_OMP_TWO_THREADS] = "OpenMP teams of more than 2 threads",
    [RT_OMP_MOST_THREADS] = "OpenMP teams of more than 16 threads",
    [RT_OMP_NESTED] = "OpenMP regions of several threads while another one is active",
    [RT_ONE_RANDOM] = "other random numbers of the system",
    [RT_LATE_TIMERS] = "timers that are over before all others wait",
    [RT_SOCKET_TIMEOUTS] = "time-outs of sockets (SO_RCVTIMEO, SO_SNDTIMEO)",
    [RT_WEAK_EXCHANGES] = "failures of weak compare-exchanges, which clang does not tell from strong ones",
    [RT_LIBRARY_WRITES] =
        "further rounds of loops that seem to wait, if code that is not observed changes memory in them",
    [RT_WAITING_LOOPS] = NULL,
    [RT_ONE_PROCESSOR] = "threads that run on another processor than the first",
};
static_assert(ARRAY_LEN(words) == RT_UNEXPLORED_KINDS, "each kind has words");

/* A loop of which each round seems to leave nothing behind is not gone round again. What a library function without a
 * row in the tables changes is not seen there. */
static bool is_told(uint32_t unexplored, unsigned kind)
{
    if (!words[kind] || !(unexplored >> kind & 1)) return false;
    return kind != RT_LIBRARY_WRITES || unexplored >> RT_WAITING_LOOPS & 1;
}

void native_cover_unexplored(const struct rt_shared *s, struct part *p)
{
    struct str text = {0};
    for (unsigned i = 0; i < RT_UNEXPLORED_KINDS; i++)
        if (is_told(s->unexplored, i)) str_printf(&text, "%s%s", text.len ? ", " : "", words[i]);
    if (text.len) part_omit(p, LOSS_UNEXPLORED, "%s", text.at);
    str_release(&text);
}
