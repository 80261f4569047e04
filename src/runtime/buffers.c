/* Memory of the program that streams write to at any time: what setvbuf(), fmemopen() and open_memstream() were given.
 * A call on such a stream may write there. Two such calls do not race with each other, because the stream has a lock.
 * A call and an access to the memory do. */
#include "runtime/internal.h"

enum { MOST = 16 };

/* Part of the program's memory, which goes back to its beginning like all of it. */
static struct buffer { const void *stream; char *at; size_t size; void *pointer, *length; } buffers[MOST];

void rt_stream_forget(const void *stream)
{
    for (int i = 0; i < MOST; i++)
        if (stream && buffers[i].stream == stream) buffers[i].stream = NULL;
}

void rt_stream_buffer(void *stream, void *at, size_t size, void *pointer, void *length, uintptr_t pc)
{
    rt_stream_forget(stream);
    if (!at && !pointer) return;
    for (int i = 0; i < MOST; i++) {
        if (buffers[i].stream) continue;
        buffers[i] = (struct buffer){stream, at, size, pointer, length};
        return;
    }
    rt_note("a stream", "so many have buffers of the program that this one is not observed", pc);
}

void rt_stream_fills(const void *stream, uintptr_t pc)
{
    if (!rt.check_plain || !rt_is_program_code(pc)) return;
    for (int i = 0; i < MOST; i++) {
        const struct buffer *b = &buffers[i];
        if (b->stream != stream) continue;
        if (b->at) rt_access((uintptr_t)b->at, b->size, true, true, pc);
        if (b->pointer) rt_access((uintptr_t)b->pointer, sizeof(char *), true, true, pc);
        if (b->length) rt_access((uintptr_t)b->length, sizeof(size_t), true, true, pc);
    }
}
