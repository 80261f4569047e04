/* --input: clients from outside, as a script has them. Each is one more thread, which does to the sockets of the
 * program what a process of its own would do, and is scheduled like the others. */
#include "runtime/internal.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static const struct rt_input *input(void) { return &rt.shared->config.input; }
static const char *text_of(const struct rt_command *c) { return input()->text + c->from; }

static __attribute__((noreturn)) void complain(const struct rt_command *c, const char *what)
{
    rt_find(RT_ASSERTION, (uintptr_t)complain, "client %d: %s at %s:%d", c->client, what, input()->name, c->line);
    rt_finding_end();
    __builtin_unreachable();
}

/* As soon as the program listens there. */
static int connect_to(const struct rt_command *c)
{
    struct sockaddr_in port = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct sockaddr_un path = {.sun_family = AF_UNIX};
    const char *where = text_of(c);
    bool is_path = where[0] == '/' || where[0] == '.';
    port.sin_port = htons((uint16_t)(is_path ? 0 : atoi(where)));
    if (is_path) rt_print(path.sun_path, sizeof path.sun_path, "%s", where);
    const struct sockaddr *to = is_path ? (const void *)&path : (const void *)&port;
    int fd = socket(is_path ? AF_UNIX : AF_INET, SOCK_STREAM, 0);
    while (connect(fd, to, is_path ? sizeof path : sizeof port)) sched_yield();
    return fd;
}

static void send_text(const struct rt_command *c, int fd)
{
    rt.self->ignores_pipe = true;
    for (uint32_t done = 0; done < c->len;) {
        ssize_t n = write(fd, text_of(c) + done, c->len - done);
        if (n < 0) complain(c, "the connection is closed");
        done += (uint32_t)n;
    }
    rt.self->ignores_pipe = false;
}

static void receive_text(const struct rt_command *c, int fd)
{
    char got[512];
    for (uint32_t done = 0; done < c->len;) {
        size_t most = c->len - done < sizeof got ? c->len - done : sizeof got;
        ssize_t n = read(fd, got, most);
        if (n <= 0) complain(c, "the connection ends before what is to be received");
        if (memcmp(got, text_of(c) + done, (size_t)n)) complain(c, "something else is received");
        done += (uint32_t)n;
    }
}

/* Whoever comes last ends the program, if the script says so. */
static void leave(void)
{
    const struct rt_input *in = input();
    rt_point_labelled(OP(GLOBAL), NULL, (uintptr_t)leave, "client leaves");
    rt_effect();
    if (rt.clients_generation != rt.generation) rt.clients_left = 0;
    rt.clients_generation = rt.generation;
    if (++rt.clients_left < in->clients) return;
    if (in->then_signal) kill(getpid(), in->then_signal);
    else if (in->then_exit) _exit(0);
}

static void *client_main(void *number)
{
    int me = (int)(intptr_t)number, fd = -1;
    rt_print(rt.self->name, sizeof rt.self->name, "client %d", me);
    rt.self->mask = ~0ull; /* signals are for the program's own threads */
    for (uint32_t i = 0; i < input()->count; i++) {
        const struct rt_command *c = &input()->commands[i];
        if (c->client != me) continue;
        switch (c->kind) {
        case RT_CONNECT: fd = connect_to(c); break;
        case RT_SEND: send_text(c, fd); break;
        case RT_RECEIVE: receive_text(c, fd); break;
        }
    }
    close(fd);
    leave();
    return NULL;
}

void rt_start_clients(void)
{
    for (int i = 1; rt.shared && i <= input()->clients; i++) {
        pthread_t ignored;
        rt_create(&ignored, &(struct thread_start){client_main, (void *)(intptr_t)i, true, (uintptr_t)client_main});
    }
}
