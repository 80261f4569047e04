"""Families of programs whose numbers of execution graphs are known: (name, C, N, complete, blocked) of `optimal`.

Blocked executions wait in a loop for a write that another execution reads. None may be abandoned."""
import json, math, os, subprocess

import judge

HEAD = """#include <pthread.h>
#include <stdatomic.h>
#define LOAD(x) atomic_load_explicit(&x, memory_order_relaxed)
#define STORE(x, v) atomic_store_explicit(&x, v, memory_order_relaxed)
#define ADD(x, v) atomic_fetch_add_explicit(&x, v, memory_order_relaxed)
atomic_int x, y, z, turn;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
"""
MAIN = """int main(void)
{
    pthread_t t[N + 1];
    pthread_create(&t[N], 0, one, 0);
    for (long i = 0; i < N; i++) pthread_create(&t[i], 0, each, (void *)i);
    for (int i = 0; i <= N; i++) pthread_join(t[i], 0);
}
"""
NOTHING = "void *%s(void *a) { return a; }\n"


def function(name, body):
    return f"void *{name}(void *a) {{ {body}; return a; }}\n"


AWAIT = function("one", "for (int i = 1; i <= K; i++) STORE(x, i)") + function("each", "while (LOAD(x) != K) {}")
READERS = function("one", "STORE(x, 1)") + function("each", "LOAD(x)")
ADDERS = NOTHING % "one" + function("each", "ADD(x, 1)")
EXCHANGES = NOTHING % "one" + function("each", "atomic_exchange_explicit(&x, (int)(long)a, memory_order_acq_rel)")
TICKETS = NOTHING % "one" + function("each", "int me = ADD(x, 1); while (atomic_load_explicit(&turn, memory_order_acquire) != me) {} "
                                     "atomic_store_explicit(&turn, me + 1, memory_order_release)")
SPINLOCK = NOTHING % "one" + function("each", "int free = 0; while (!atomic_compare_exchange_strong_explicit(&x, &free, 1, "
                                      "memory_order_acquire, memory_order_relaxed)) free = 0; "
                                      "atomic_store_explicit(&x, 0, memory_order_release)")

FAMILIES = [
    *[("await one of K stores", AWAIT, 1, k, 1, k) for k in (1, 3, 6, 12)],
    *[("readers and a writer", READERS, n, 0, 2 ** n, 0) for n in (3, 7)],
    *[("increments", ADDERS, n, 0, math.factorial(n), 0) for n in (3, 5, 7)],
    *[("exchanges", EXCHANGES, n, 0, math.factorial(n), 0) for n in (3, 5)],
    *[("ticket lock", TICKETS, n, 0, math.factorial(n), None) for n in (2, 3, 4)],
    *[("spin lock", SPINLOCK, n, 0, math.factorial(n), None) for n in (2, 3, 4)],
]


SEMAPHORE = NOTHING % "one" + "#include <semaphore.h>\nsem_t s;\n" + function("each", "ADD(x, 1); sem_post(&s); sem_wait(&s)")


def checked(folder, code, n, k):
    path = os.path.join(folder, "family.c")
    with open(path, "w") as f:
        f.write(HEAD + code + MAIN)
    p = subprocess.run([judge.HEDDLE, "check", path, "--json", "-q", "--audit=off", "--explore=optimal",
                        f"--cflags=-O1 -w -DN={n} -DK={k}"], cwd=folder, capture_output=True, text=True)
    return json.loads(p.stdout)


def counts(folder, code, n, k):
    said = checked(folder, code, n, k)
    return said["verdict"], said["ends"]


def judge_all(folder):
    """[complaint]"""
    wrong = []
    if checked(folder, SEMAPHORE, 2, 0).get("explored_by") != "dpor":
        wrong.append("optimal does not say that dpor explores a program with semaphores")
    for name, code, n, k, complete, blocked in FAMILIES:
        verdict, ends = counts(folder, code, n, k)
        good = verdict == "verified" and ends["complete"] == complete and not ends["abandoned"]
        if not good or blocked not in (None, ends["blocked"]):
            wrong.append(f"{name}, N={n} K={k}: {verdict}, {ends} for {complete} graphs and {blocked} blocked")
    return wrong
