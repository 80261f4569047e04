/* Scripts of what comes from outside (--input): clients of a server, line by line.
 *
 *     client 8080             a client, which connects as soon as the program listens at the port (or at /a/path)
 *     send "GET /\r\n"        text with the escapes of C
 *     receive "200"           so many bytes must come, and be these
 *     then exit               when all clients are done: the program ends; or: then signal TERM
 */
#define _GNU_SOURCE
#include "native/native.h"

#include <ctype.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

struct reader {
    struct rt_input *in;
    const char *file;
    int line;
    char *error;
};

static bool refuse(struct reader *r, const char *why)
{
    struct str s = {0};
    str_printf(&s, "%s:%d: %s", r->file, r->line, why);
    r->error = s.at;
    return false;
}

static bool add_byte(struct reader *r, char byte)
{
    if (r->in->used + 1 >= sizeof r->in->text) return refuse(r, "the script has too much text");
    r->in->text[r->in->used++] = byte;
    return true;
}

static int escaped(const char **p)
{
    static const char letters[] = "nrt0\\\"", meant[] = "\n\r\t\0\\\"";
    const char *at = strchr(letters, **p);
    if (**p == 'x' && isxdigit((unsigned char)(*p)[1]) && isxdigit((unsigned char)(*p)[2])) {
        char digits[] = {(*p)[1], (*p)[2], 0};
        *p += 3;
        return (int)strtol(digits, NULL, 16);
    }
    if (!**p || !at) return -1;
    ++*p;
    return (unsigned char)meant[at - letters];
}

static bool add_quoted(struct reader *r, const char *p)
{
    if (*p++ != '"') return refuse(r, "a text in \"...\" is missing");
    while (*p && *p != '"') {
        int byte = (unsigned char)*p++;
        if (byte == '\\' && (byte = escaped(&p)) < 0)
            return refuse(r, "an escape that is none of \\n \\r \\t \\0 \\xHH");
        if (!add_byte(r, (char)byte)) return false;
    }
    return *p == '"' && !p[1 + strspn(p + 1, " \t\r")] ? true : refuse(r, "the text does not end with \"");
}

static bool add_word(struct reader *r, const char *p)
{
    bool is_path = *p == '/' || *p == '.';
    for (; *p && !isspace((unsigned char)*p); p++) {
        if (!is_path && !isdigit((unsigned char)*p)) return refuse(r, "client needs a port or the path of a socket");
        if (!add_byte(r, *p)) return false;
    }
    return add_byte(r, 0);
}

static bool add_command(struct reader *r, enum rt_command_kind kind, const char *rest)
{
    struct rt_input *in = r->in;
    if (in->count == RT_MAX_COMMANDS) return refuse(r, "the script has too many lines");
    if (kind == RT_CONNECT && in->clients == RT_MAX_CLIENTS) return refuse(r, "the script has too many clients");
    if (kind == RT_CONNECT && !*rest) return refuse(r, "client needs a port or the path of a socket");
    if (kind == RT_CONNECT) in->clients++;
    if (!in->clients) return refuse(r, "there is no client yet");
    struct rt_command c = {.kind = kind, .client = in->clients, .line = r->line, .from = in->used};
    if (!(kind == RT_CONNECT ? add_word(r, rest) : add_quoted(r, rest))) return false;
    c.len = in->used - c.from;
    in->commands[in->count++] = c;
    return true;
}

static bool add_end(struct reader *r, const char *rest)
{
    if (!strcmp(rest, "exit")) {
        r->in->then_exit = true;
        return true;
    }
    if (strncmp(rest, "signal ", 7)) return refuse(r, "then exit, or then signal NAME");
    for (int s = 1; s < 32; s++)
        if (sigabbrev_np(s) && !strcmp(sigabbrev_np(s), rest + 7)) {
            r->in->then_signal = s;
            return true;
        }
    return refuse(r, "no signal of that name (TERM, INT, HUP, ...)");
}

static bool read_line(struct reader *r, char *line)
{
    static const struct { const char *word; enum rt_command_kind kind; } words[] = {
        {"client", RT_CONNECT}, {"send", RT_SEND}, {"receive", RT_RECEIVE}};
    char *end = line + strlen(line);
    while (end > line && isspace((unsigned char)end[-1])) *--end = 0;
    line += strspn(line, " \t");
    if (!*line || *line == '#') return true;
    size_t n = strcspn(line, " \t");
    const char *rest = line + n + strspn(line + n, " \t");
    for (size_t i = 0; i < ARRAY_LEN(words); i++)
        if (strlen(words[i].word) == n && !strncmp(line, words[i].word, n)) return add_command(r, words[i].kind, rest);
    if (n == 4 && !strncmp(line, "then", 4)) return add_end(r, rest);
    return refuse(r, "a line begins with client, send, receive or then");
}

char *native_read_input(const char *path, struct rt_input *out)
{
    struct reader r = {.in = out, .file = path};
    size_t len = 0;
    char *text = read_file(path, &len), *next;
    *out = (struct rt_input){0};
    if (!text) {
        refuse(&r, strerror(errno));
        return r.error;
    }
    snprintf(out->name, sizeof out->name, "%s", path_basename(path));
    for (char *line = text; line && !r.error; line = next) {
        next = strchr(line, '\n');
        if (next) *next++ = 0;
        r.line++;
        read_line(&r, line);
    }
    if (!r.error && !out->clients) refuse(&r, "there is no client");
    free(text);
    return r.error;
}
