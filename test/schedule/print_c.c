/* A made-up program as C with pthreads, so that the engine for real programs can be held to the same counts.
 *
 * The main thread creates the threads and ends; that adds no conflicts, so the number of traces stays. What the two
 * engines present differently (spin loops, accesses that overlap partly) is not printed. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "machine.h"

struct text {
    char *at;
    size_t left;
};

static void add(struct text *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void add(struct text *t, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    int n = vsnprintf(t->at, t->left, fmt, ap);
    va_end(ap);
    if (n < 0 || (size_t)n >= t->left)
        abort();
    t->at += n;
    t->left -= (size_t)n;
}

bool program_fits_c(const struct program *p)
{
    for (int t = 0; t < p->threads; t++)
        for (int i = 0; i < p->len[t]; i++)
            switch (p->code[t][i].kind) {
            case I_load2:
            case I_store2:
            case I_await:
            case I_global:
            case I_cas2:
            case I_casat:
            case I_loadat:
            case I_earlywait:
                return false;
            }
    return true;
}

/* One row per instruction; %1$d .. %4$d are its arguments. */
static const char *const statements[INSN_COUNT] = {
    [I_load] = "r[%2$d] = (signed char)atomic_load(&v[%1$d]);",
    [I_store] = "atomic_store(&v[%1$d], %2$d);",
    [I_storereg] = "atomic_store(&v[%1$d], (signed char)(r[%2$d] + %3$d));",
    [I_add] = "r[%3$d] = (signed char)atomic_fetch_add(&v[%1$d], %2$d);",
    [I_exchange] = "r[%3$d] = (signed char)atomic_exchange(&v[%1$d], %2$d);",
    [I_cas] = "{ int old = %2$d; r[%4$d] = atomic_compare_exchange_strong(&v[%1$d], &old, %3$d); }",
    [I_lock] = "pthread_mutex_lock(&m[%1$d]);",
    [I_unlock] = "pthread_mutex_unlock(&m[%1$d]);",
    [I_trylock] = "r[%2$d] = pthread_mutex_trylock(&m[%1$d]) == 0;",
    [I_rdlock] = "pthread_rwlock_rdlock(&w[%1$d]);",
    [I_rdunlock] = "pthread_rwlock_unlock(&w[%1$d]);",
    [I_tryrdlock] = "r[%2$d] = pthread_rwlock_tryrdlock(&w[%1$d]) == 0;",
    [I_wrlock] = "pthread_rwlock_wrlock(&w[%1$d]);",
    [I_wrunlock] = "pthread_rwlock_unlock(&w[%1$d]);",
    [I_trywrlock] = "r[%2$d] = pthread_rwlock_trywrlock(&w[%1$d]) == 0;",
    [I_wait] = "pthread_cond_wait(&c[%1$d], &m[%2$d]);",
    [I_timedwait] = "r[%3$d] = pthread_cond_timedwait(&c[%1$d], &m[%2$d], &soon) == 0;",
    [I_signal] = "pthread_cond_signal(&c[%1$d]);",
    [I_broadcast] = "pthread_cond_broadcast(&c[%1$d]);",
    [I_semwait] = "sem_wait(&s[%1$d]);",
    [I_semtry] = "r[%2$d] = sem_trywait(&s[%1$d]) == 0;",
    [I_sempost] = "sem_post(&s[%1$d]);",
    [I_semread] = "{ int n; sem_getvalue(&s[%1$d], &n); r[%2$d] = (signed char)n; }",
    [I_seminit] = "sem_init(&s[%1$d], 0, %2$d);",
    [I_barrier] = "r[%2$d] = pthread_barrier_wait(&b[%1$d]) == PTHREAD_BARRIER_SERIAL_THREAD;",
    [I_arrive] = "pthread_barrier_wait(&b[%1$d]);",
    [I_yield] = "sched_yield();",
    [I_surprise] = "r[%1$d] = 0;",
    [I_choose] = "r[%2$d] = (signed char)heddle_nondet(%1$d);",
    [I_assert] = "if (r[%1$d] != %2$d) failures++;",
    [I_assume] = "heddle_assume(r[%1$d] == %2$d);",
    [I_quit] = "exit(0);",
    [I_set] = "r[%1$d] = %2$d;",
    [I_addreg] = "r[%1$d] += %2$d;",
    [I_sub] = "r[%1$d] -= r[%2$d];",
    [I_create] = "pthread_create(&threads[%1$d], NULL, bodies[%1$d], NULL);",
    [I_join] = "pthread_join(threads[%1$d], NULL);",
};

static void print_statement(struct text *t, const char *format, const struct insn *i)
{
    int n = 0;
    for (const char *f = format; *f; f += n) {
        n = 1;
        if (f[0] == '%' && f[2] == '$') {
            add(t, "%d", i->arg[f[1] - '1']);
            n = 4;
        } else {
            add(t, "%c", *f);
        }
    }
}

static void print_thread(struct text *t, const struct program *p, int u)
{
    add(t, "static void *thread%d(void *unused)\n{\n    signed char r[3] = {0};\n", u);
    for (int i = 0; i < p->len[u]; i++) {
        const struct insn *insn = &p->code[u][i];
        add(t, "L%d: ", i);
        if (insn->kind == I_skipeq || insn->kind == I_skipne || insn->kind == I_skipgt)
            add(t, "if (r[%d] %s %d) goto L%d;", insn->arg[0],
                insn->kind == I_skipeq   ? "=="
                : insn->kind == I_skipne ? "!="
                                         : ">",
                insn->arg[1], i + 1 + insn->arg[2]);
        else if (insn->kind == I_backne)
            add(t, "if (r[%d] != %d) goto L%d;", insn->arg[0], insn->arg[1], i - insn->arg[2]);
        else
            print_statement(t, statements[insn->kind], insn);
        add(t, "\n");
    }
    add(t, "L%d:\n    (void)r;\n    return unused;\n}\n\n", p->len[u]);
}

void program_print_c(const struct program *p, char *out, size_t size)
{
    struct text t = {out, size};
    add(&t,
        "#include <pthread.h>\n#include <sched.h>\n#include <semaphore.h>\n#include <stdatomic.h>\n#include "
        "<stddef.h>\n#include <stdlib.h>\n"
        "#include <time.h>\n#include \"heddle.h\"\n\n"
        "static _Atomic int v[%d];\nstatic int failures; /* each counted by one thread at a time */\n"
        "static pthread_mutex_t m[%d];\nstatic pthread_rwlock_t w[%d];\nstatic pthread_cond_t c[%d];\n"
        "static sem_t s[%d];\nstatic pthread_barrier_t b[%d];\nstatic pthread_t threads[%d];\n"
        "static struct timespec soon;\nstatic void *(*const bodies[])(void *);\n\n",
        p->vars + 1, OBJECTS, OBJECTS, OBJECTS, OBJECTS, OBJECTS, p->threads);
    for (int u = 0; u < p->threads; u++)
        print_thread(&t, p, u);
    add(&t, "static void *(*const bodies[])(void *) = {");
    for (int u = 0; u < p->threads; u++)
        add(&t, "%sthread%d", u ? ", " : "", u);
    add(&t, "};\n\nint main(void)\n{\n");
    for (int i = 0; i < OBJECTS; i++) {
        add(&t,
            "    pthread_mutex_init(&m[%d], NULL);\n    pthread_rwlock_init(&w[%d], NULL);\n    "
            "pthread_cond_init(&c[%d], NULL);\n",
            i, i, i);
        add(&t, "    sem_init(&s[%d], 0, %d);\n    pthread_barrier_init(&b[%d], NULL, %d);\n", i, p->sem[i], i,
            p->barrier[i] ? p->barrier[i] : 1);
    }
    for (int u = 0; u < p->threads; u++)
        if (!(p->created & 1u << u))
            add(&t, "    pthread_create(&threads[%d], NULL, bodies[%d], NULL);\n", u, u);
    add(&t, "    pthread_exit(NULL);\n}\n");
}
