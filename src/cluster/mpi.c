/* The transport on MPI 3: a shared object of its own for each library that it is built with, loaded by join.c. Calls
 * that fail end the job, which is MPI's default. */
#include "cluster/transport_int.h"

#include <limits.h>
#include <mpi.h>
#include <stdlib.h>

enum { TAG = 1 };

static MPI_Request *sending;
static MPI_Request collective = MPI_REQUEST_NULL;
static MPI_Comm everybody; /* its own messages: none of a library's */
static int *part_lengths, *part_ends;
static MPI_Message next;
static MPI_Status next_status;
static bool has_next;
static struct transport transport;

static void make_slots(int count)
{
    sending = realloc(sending, (size_t)count * sizeof *sending);
    if (!sending) MPI_Abort(everybody, 2);
    for (int i = 0; i < count; i++) sending[i] = MPI_REQUEST_NULL;
}

static void send_bytes(int slot, int to, const void *bytes, size_t count)
{
    MPI_Isend(bytes, (int)count, MPI_BYTE, to, TAG, everybody, &sending[slot]);
}

static bool is_sent(int slot)
{
    int done;
    MPI_Test(&sending[slot], &done, MPI_STATUS_IGNORE);
    return done;
}

/* The message that comes next. It is taken out of all others: of two that have come, two looks may see either. */
static bool take_next(void)
{
    int there = has_next;
    if (!there) MPI_Improbe(MPI_ANY_SOURCE, TAG, everybody, &there, &next, &next_status);
    return has_next = there;
}

static int bytes_of_next(void)
{
    int count;
    MPI_Get_count(&next_status, MPI_BYTE, &count);
    return count;
}

static size_t receive_bytes(void *into, size_t room)
{
    if (!take_next()) return 0;
    int count = bytes_of_next();
    if (count <= 0 || (size_t)count > room) MPI_Abort(everybody, 2);
    MPI_Mrecv(into, count, MPI_BYTE, &next, MPI_STATUS_IGNORE);
    has_next = false;
    return (size_t)count;
}

static size_t waiting(int *from)
{
    if (!take_next()) return 0;
    *from = next_status.MPI_SOURCE;
    return (size_t)bytes_of_next();
}

static void sum(uint64_t *values, int count)
{
    MPI_Iallreduce(MPI_IN_PLACE, values, count, MPI_UINT64_T, MPI_SUM, everybody, &collective);
}

static void sum_for_each(const uint64_t *by_process, uint64_t *mine)
{
    MPI_Ireduce_scatter_block(by_process, mine, 1, MPI_UINT64_T, MPI_SUM, everybody, &collective);
}

static void broadcast(int from, void *bytes, size_t count)
{
    if (count > INT_MAX) MPI_Abort(everybody, 2);
    MPI_Ibcast(bytes, (int)count, MPI_BYTE, from, everybody, &collective);
}

static void counts(uint64_t mine, uint64_t *of_all)
{
    static uint64_t given;
    given = mine;
    MPI_Iallgather(&given, 1, MPI_UINT64_T, of_all, 1, MPI_UINT64_T, everybody, &collective);
}

static void gather(const void *mine, size_t count, void *all, const uint64_t *lengths)
{
    uint64_t end = 0;
    for (int i = 0; i < transport.size; i++) {
        part_lengths[i] = (int)lengths[i];
        part_ends[i] = (int)end;
        end += lengths[i];
    }
    if (end > INT_MAX) MPI_Abort(everybody, 2);
    MPI_Iallgatherv(mine, (int)count, MPI_BYTE, all, part_lengths, part_ends, MPI_BYTE, everybody, &collective);
}

static bool is_done(void)
{
    int done;
    MPI_Test(&collective, &done, MPI_STATUS_IGNORE);
    return done;
}

static void leave(void) { MPI_Finalize(); }

static int neighbours(void)
{
    MPI_Comm machine;
    int size;
    MPI_Comm_split_type(everybody, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine);
    MPI_Comm_size(machine, &size);
    MPI_Comm_free(&machine);
    return size;
}

const struct transport *heddle_transport(void);
const struct transport *heddle_transport(void)
{
    int level;
    if (MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &level) != MPI_SUCCESS || level < MPI_THREAD_FUNNELED)
        return NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &everybody);
    transport = (struct transport){.slots = make_slots,
                                   .send = send_bytes,
                                   .is_sent = is_sent,
                                   .receive = receive_bytes,
                                   .waiting = waiting,
                                   .sum = sum,
                                   .sum_for_each = sum_for_each,
                                   .broadcast = broadcast,
                                   .counts = counts,
                                   .gather = gather,
                                   .is_done = is_done,
                                   .leave = leave};
    MPI_Comm_rank(everybody, &transport.rank);
    MPI_Comm_size(everybody, &transport.size);
    transport.neighbours = neighbours();
    part_lengths = calloc((size_t)transport.size, sizeof *part_lengths);
    part_ends = calloc((size_t)transport.size, sizeof *part_ends);
    return part_lengths && part_ends ? &transport : NULL;
}
