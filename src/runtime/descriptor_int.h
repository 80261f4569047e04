/* Descriptors whose other side is the program itself: pipes, sockets within the process, eventfd, timerfd, epoll. They
 * are objects of the runtime. A descriptor's number is kept busy in the kernel by a file that is never used, so that
 * numbers are given out as always, mixed with those of real files.
 *
 * A channel, which pipes and sockets have, is known to the strategies as such (SCHED_PUT and so on). To them any other
 * object is a word of memory: a call that may change it is a read-modify-write of the word, and a call that has to wait
 * reads the word until another thread changes it. What is watched by poll or epoll together
 * with others changes one more word, the same for all, for which they wait. What concerns more than that (opening,
 * closing, registering) is a step that depends on every other. */
#ifndef HEDDLE_RUNTIME_DESCRIPTOR_INT_H
#define HEDDLE_RUNTIME_DESCRIPTOR_INT_H

#include "runtime/internal.h"

#include <poll.h>
#include <stdarg.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/uio.h>

enum { MAX_FILES = 1024, MAX_WORDS = 4096, PIPE_SIZE = 65536, MAX_BACKLOG = 64, MAX_WATCHES = 256, ADDRESS = 128 };

struct word { uint32_t version, by_all; bool watched; }; /* by_all: changes by steps that depend on every other */

/* Before the bytes of a message: how many, and who sent it if anybody asks. */
struct message_header { uint32_t size, sender_len; unsigned char sender[ADDRESS]; };

/* Bytes on their way from writers to readers; of a socket one for each direction. Messages keep their borders. */
enum channel_kind { BYTES = 0, MESSAGES = sizeof(uint32_t), DATAGRAMS = sizeof(struct message_header) };
struct channel {
    struct word word;       /* first: the channel's address is the word's */
    int readers, writers;
    uint32_t from, len;     /* in data, a ring */
    uint64_t written;       /* bytes so far */
    uint64_t first, last;   /* where in them what was put in at once begins: of the first byte there, of the last one */
    bool *begins;           /* beside data: something does */
    uint32_t puts, takes;   /* so far, for edges */
    uint32_t header;        /* bytes before each message; 0: none, bytes have no borders */
    struct message_header taken; /* of the last one */
    struct rights *rights, *received; /* descriptors beside the bytes: on their way, and with what was last taken */
    char *data;
    bool reset;             /* of a socket: the other end was closed before it had read everything */
    bool fresh;             /* of a FIFO: nobody has opened it for writing yet */
    uint32_t capacity, least_room; /* bytes that it holds; so many must be free for poll to say that there is room */
};

struct open_file;
struct file_kind {
    const char *name;
    /* One attempt: how many bytes, or an error below 0; -EAGAIN: not now. NULL: there is no such thing. */
    ssize_t (*take)(struct open_file *f, char *to, size_t size);
    ssize_t (*put)(struct open_file *f, const char *from, size_t size);
    int (*ready)(const struct open_file *f); /* events of poll */
    struct word *(*word)(struct open_file *f, bool writing);
    void (*close)(struct open_file *f);
};

struct watch { struct open_file *file; int fd; uint32_t events, puts, takes; uint64_t data; bool off; };

struct open_file {
    const struct file_kind *kind;
    int references, calls;        /* descriptors, and calls that have not returned */
    int status_flags; /* O_NONBLOCK, and which ways are open */
    struct channel *in, *out;
    struct word word;             /* of what is no channel */
    uint64_t counter, expires, interval;
    bool semaphore, listening, connecting;
    int family, type, peer_error; /* peer_error: of a connect() that did not wait */
    struct socket_option { int level, name; socklen_t len; unsigned char value[16]; } options[8];
    uint32_t option_count;
    struct open_file *waiting[MAX_BACKLOG]; /* connections not yet accepted */
    uint32_t waiting_count, puts;
    unsigned char address[ADDRESS], peer[ADDRESS];
    socklen_t address_len, peer_len;
    struct message_queue *queue;
    struct watch *watches;        /* of epoll */
    uint32_t watch_count;
};

enum { MAX_KNOWN = 128 };
struct descriptors {
    struct open_file *of[MAX_FILES];
    bool inherited[MAX_FILES]; /* it was here, and is the kernel's since there is another process that may use it */
    uint16_t first_copy[MAX_FILES]; /* 1 + the descriptor of which it is a copy; 0: itself. contents.c */
    struct word table, activity, signals, paths;
    bool has_signal_files;
    bool has_lost;              /* a datagram was refused: an error of the sender's socket */
    struct fifo *fifos;
    struct stream *streams;    /* stream.c: MAX_STREAMS of them, or NULL */
    bool streams_are_over;     /* what is still in them goes nowhere */
    struct message_queue *queues;
    struct file_locks *locks;  /* filelock.c; NULL: there are none */
    struct semaphore_sets *sets; /* sysv.c: same */
    int ports;
    struct known_file { uint64_t device, inode, name; } known[MAX_KNOWN]; /* contents.c: regular files that were open */
    struct view { uint64_t contents; uintptr_t at; size_t size; long offset; } views[32]; /* map.c: of regular files */
    uint32_t known_count, view_count;
};

struct descriptors *rt_descriptors(void);
struct open_file *rt_file(int fd);                /* NULL: not one of these */
struct open_file *rt_file_for(int fd, uintptr_t pc, const char *label); /* the same, at the beginning of a call */
struct open_file *rt_file_new(const struct file_kind *kind, int status_flags);
int rt_file_open(struct open_file *f, bool close_on_exec); /* its number, or -1 with errno */
bool rt_channel_has_ended(const struct channel *c);
struct channel *rt_channel_new(enum channel_kind kind);
void *rt_file_memory(size_t size);                /* zeroed, of this execution */

/* A step that may change the word, or (writing false) that looks at it. */
void rt_file_step(struct word *w, bool writing, uintptr_t pc, const char *label);
/* After an attempt that failed: until another thread changes the word. False: a handler broke it off. */
bool rt_file_wait(struct word *w, uint32_t seen, uint32_t seen_by_all, uintptr_t pc, const char *label);
void rt_file_all(uintptr_t pc, const char *label); /* a step that depends on every other */
void rt_word_changed(struct word *w);              /* in a step of that word */
void rt_word_changed_by_all(struct word *w);       /* in a step that depends on every other */
void rt_word_watch(struct word *w);                /* same */

extern const struct file_kind rt_pipe_kind, rt_fifo_kind, rt_socket_kind, rt_counter_kind, rt_timer_kind, rt_epoll_kind;
ssize_t rt_channel_take(struct channel *c, char *to, size_t size);
ssize_t rt_channel_peek(struct channel *c, char *to, size_t size);
ssize_t rt_channel_put(struct channel *c, const struct open_file *sender, const char *from, size_t size);
/* A step: SCHED_TAKE or SCHED_PUT so many bytes, SCHED_PEEK with 0: look whether there are some, else whether there is
 * room for so many. Waits until it is possible if told so; false: a handler broke that off. */
bool rt_channel_step(struct channel *c, enum sched_kind kind, size_t size, bool waits, uintptr_t pc, const char *label);
/* The same, of a step that is in order with all others that have the same four bytes `beside`; NULL: none. */
bool rt_channel_step_beside(struct channel *c, enum sched_kind kind, size_t size, bool waits, const uint32_t *beside,
                            uintptr_t pc, const char *label);
void rt_channel_closed(struct channel *c); /* one end was, in a step that depends on every other */
void rt_channel_resized(struct channel *c, uint32_t capacity); /* same */
void rt_channel_opened(struct channel *c); /* same */
ssize_t rt_file_read(int fd, void *to, size_t size, bool dont_wait, uintptr_t pc);
ssize_t rt_file_write_to(struct open_file *f, const void *from, size_t size, bool dont_wait, uintptr_t pc);
ssize_t rt_file_write(int fd, const void *from, size_t size, bool dont_wait, uintptr_t pc);

int rt_socket_error(struct open_file *f, uintptr_t pc); /* takes the pending error; 0: there is none */
/* Before a socket sends or receives: 0, or the error of an earlier datagram (of sends below 0), or that this one is
 * lost. */
enum { RT_DATAGRAM_LOST = 1 };
int rt_socket_sends(struct open_file *f, uintptr_t pc);
int rt_socket_receives(struct open_file *f, uintptr_t pc);
ssize_t rt_file_peek(struct open_file *f, void *to, size_t size, bool dont_wait, uintptr_t pc);

void rt_file_drop(struct open_file *f); /* one reference less, in a step that depends on every other */

/* rights.c: descriptors that are sent beside bytes (SCM_RIGHTS) */
int rt_rights_gather(const struct msghdr *m, struct channel *to, uintptr_t pc); /* into `carries`; or an error */
/* Those that the thread carries, with what begins there. */
void rt_rights_put(struct channel *c, uint64_t position, size_t size);
void rt_rights_take(struct channel *c, uintptr_t pc); /* bytes were taken: into `received` */
void rt_rights_deliver(struct channel *c, struct msghdr *m, bool close_on_exec, uintptr_t pc);
void rt_rights_discard(struct rights **which, uintptr_t pc); /* all of them */

/* filelock.c */
struct flock;
int rt_locks_control(int fd, int command, struct flock *l, uintptr_t pc); /* F_OFD_SETLK and the like */

/* inherit.c */
void rt_wait_for_process(int fd, short events); /* before a call that may have to wait for one */

int rt_print_to(int fd, const char *format, va_list ap, uintptr_t pc);
ssize_t rt_pieces_read(int fd, const struct iovec *v, int count, long offset, uintptr_t pc); /* of the kernel's files */
ssize_t rt_pieces_write(int fd, const struct iovec *v, int count, long offset, uintptr_t pc);
void rt_pieces_access(const struct iovec *v, int count, size_t size, bool write, uintptr_t pc);
enum { MOST_PIECES = 1024 }; /* as the kernel has it */
const struct iovec *rt_pieces_copy(struct iovec *to, const struct iovec *v, size_t count, uintptr_t pc);
size_t rt_pieces_size(const struct iovec *v, size_t count);
void rt_pieces_gather(char *to, size_t size, const struct iovec *v, uintptr_t pc);
void rt_pieces_scatter(const char *from, size_t size, const struct iovec *v, uintptr_t pc);

#endif
