"""Programs as text: Promela, C with pthreads and C11 atomics, Boolean programs."""
import program as programs

# ---- Promela ----


class Promela:
    def __init__(self, program):
        self.program, self.labels = program, 0

    def name(self, name, index=None):
        at = "" if index is None else f"[{index}]"
        if name in self.program["fields"]:
            variable, field = self.program["fields"][name]
            return f"{variable}{at}.{field}"
        return name + at

    def value(self, e):
        op = e[0]
        if op == "c":
            return str(e[1])
        if op == "v":
            return self.name(e[1])
        if op == "idx":
            return self.name(e[1], self.value(e[2]))
        if op in ("pid", "nrpr", "timeout", "np"):
            return {"pid": "_pid", "nrpr": "_nr_pr", "timeout": "timeout", "np": "np_"}[op]
        if op in ("at", "of"):
            return f"{self.program['procs'][e[1]]['name']}{'@' if op == 'at' else ':'}{e[2]}"
        if op == "!":
            return f"!({self.value(e[1])})"
        if op in ("len", "full", "empty", "nfull", "nempty"):
            return f"{op}({e[1]})"
        if op == "poll":
            return f"{e[1]}?[{', '.join(self.pattern(p) for p in e[2])}]"
        return f"({self.value(e[1])} {op} {self.value(e[2])})"

    def pattern(self, p):
        return f"eval({self.value(p[1])})" if p[0] == "eval" else self.value(p[1])

    def block(self, stmts, pad):
        lines = []
        for s in stmts or [("skip",)]:
            lines += self.statement(s, pad)
            lines[-1] += ";"
        lines[-1] = lines[-1][:-1]
        return lines

    def braces(self, word, stmts, pad):
        return [f"{pad}{word}{{", *self.block(stmts, pad + "    "), pad + "}"]

    def statement(self, s, pad):
        kind, value = s[0], self.value
        if kind in ("skip", "break"):
            return [pad + kind]
        if kind == "goto":
            return [f"{pad}goto {s[1]}"]
        if kind == "expr":
            return [f"{pad}({value(s[1])})"]
        if kind == "set":
            return [f"{pad}{value(s[1])} = {value(s[2])}"]
        if kind == "assert":
            return [f"{pad}assert({value(s[1])})"]
        if kind == "decl":
            return [f"{pad}{s[1]} {s[2]} = {value(s[3])}"]
        if kind == "send":
            return [f"{pad}{s[1]}{'!!' if s[3] else '!'}{', '.join(value(v) for v in s[2])}"]
        if kind == "recv":
            inside = ", ".join(self.pattern(p) for p in s[2])
            return [f"{pad}{s[1]}{'??' if s[3] else '?'}{f'<{inside}>' if s[4] else inside}"]
        if kind == "run":
            return [f"{pad}run {self.program['procs'][s[1]]['name']}({', '.join(value(a) for a in s[2])})"]
        if kind == "label":
            self.labels += 1
            name = s[1] if s[1][0] in "LM" else f"{s[1]}_{self.labels}"
            first, *rest = self.statement(s[2], pad)
            return [f"{pad}{name}: {first.strip()}", *rest]
        if kind in ("atomic", "d_step"):
            return self.braces(kind + " ", s[1], pad)
        if kind == "unless":
            return [*self.braces("", s[1], pad)[:-1], f"{pad}}} unless {{", *self.block(s[2], pad + "    "), pad + "}"]
        return self.choice(s, pad)

    def choice(self, s, pad):
        lines = [pad + s[0]]
        for option in s[1]:
            first, *rest = self.block(option, pad + "    ")
            lines += [f"{pad}:: {first.strip()}", *rest]
        if s[2] is not None:
            lines += [f"{pad}:: else ->", *self.block(s[2], pad + "    ")]
        return lines + [pad + {"if": "fi", "do": "od"}[s[0]]]

    def declarations(self):
        lines, types = [], {}
        for kind, name, init, count in self.program["globals"]:
            if name in self.program["fields"]:
                variable, field = self.program["fields"][name]
                types.setdefault("R", {})[field] = f"{kind} {field}" + (f" = {init}" if init else "")
                types.setdefault("uses", {})[variable] = f"R {variable}" + (f"[{count}]" if count else "")
            else:
                lines.append(f"{kind} {name}" + (f"[{count}]" if count else "") + (f" = {init}" if init else "") + ";")
        if types:
            lines.append("typedef R { " + "; ".join(types["R"].values()) + " };")
            lines += [use + ";" for use in types["uses"].values()]
        for name, capacity, kinds in self.program["channels"]:
            lines.append(f"chan {name} = [{capacity}] of {{ {', '.join(kinds)} }};")
        return lines

    def text(self):
        lines = self.declarations()
        # A process that is created later has to be declared first, or Spin does not know its parameters.
        for number, proc in sorted(enumerate(self.program["procs"]), key=lambda p: p[1]["active"]):
            params = "; ".join(f"{k} {n}" for k, n, _ in proc["params"])
            head = f"{'active ' if proc['active'] else ''}proctype {proc['name']}({params})"
            if proc.get("provided"):
                head += f" provided ({self.value(proc['provided'])})"
            lines.append(("init" if number == self.program["init"] else head) + " {")
            lines += [f"    {k} {n}{f' = {i}' if i else ''};" for k, n, i in proc["locals"]]
            lines += self.block(proc["body"], "    ") + ["}"]
        return "\n".join(lines) + "\n"

    def formula(self, f):
        if f[0] == "p":
            return self.value(f[1])
        if len(f) == 2:
            return f"({f[0]} {self.formula(f[1])})"
        return f"({self.formula(f[1])} {f[0]} {self.formula(f[2])})"


def promela(program):
    return Promela(program).text()


def promela_formula(program, f):
    return Promela(program).formula(f)


# ---- C: the core only ----

def c_statements(stmts, pad):
    out = []
    for s in stmts:
        kind = s[0]
        if kind == "load":
            out.append(f"{pad}l{s[1]} = atomic_load(&x{s[2]});")
        elif kind == "store":
            out.append(f"{pad}atomic_store(&x{s[1]}, l{s[2]});")
        elif kind == "set":
            out.append(f"{pad}atomic_store(&x{s[1]}, {s[2]});")
        elif kind == "assert":
            out.append(f"{pad}assert(!(l{s[1]} == {s[3]} && l{s[2]} != {s[3]}));")
        elif kind == "flip":
            out.append(f"{pad}l{s[1]} = atomic_fetch_xor(&x{s[2]}, 1);")
        elif kind == "swap":
            out.append(f"{pad}l{s[1]} = atomic_exchange(&x{s[2]}, {s[3]});")
        elif kind == "cas":
            out.append(f"{pad}l{s[1]} = atomic_compare_exchange_strong(&x{s[2]}, &(int){{{s[3]}}}, {s[4]});")
        elif kind == "section":
            out += [f"{pad}pthread_mutex_lock(&m{s[1]});", *c_statements(s[2], pad),
                    f"{pad}pthread_mutex_unlock(&m{s[1]});"]
        elif kind == "try":
            out += [f"{pad}l{s[1]} = pthread_mutex_trylock(&m{s[2]}) == 0;", f"{pad}if (l{s[1]}) {{",
                    *c_statements(s[3], pad + "    "),
                    f"{pad}    pthread_mutex_unlock(&m{s[2]});", pad + "}"]
        elif kind in ("down", "up"):
            out.append(f"{pad}sem_{'wait' if kind == 'down' else 'post'}(&s0);")
        elif kind == "wait":
            out.append(f"{pad}pthread_cond_wait(&c{s[1]}, &m{s[1]});")
        elif kind == "timedwait":
            out.append(f"{pad}l{s[1]} = pthread_cond_timedwait(&c{s[2]}, &m{s[2]}, &(struct timespec){{0}}) != 0;")
        elif kind in ("signal", "broadcast"):
            out.append(f"{pad}pthread_cond_{kind}(&c{s[1]});")
        else:
            assert kind == "if"
            out += [f"{pad}if (l{s[1]}) {{", *c_statements(s[2], pad + "    "), f"{pad}}} else {{",
                    *c_statements(s[3], pad + "    "), pad + "}"]
    return out


def c_program(source):
    threads, n = source["threads"], len(source["threads"])
    lines = ["#include <assert.h>", "#include <pthread.h>", "#include <semaphore.h>", "#include <stdatomic.h>",
             "#include <time.h>",
             *[f"static atomic_int x{i} = {c};" for i, c in enumerate(source["start"])],
             *[f"static pthread_mutex_t m{i} = PTHREAD_MUTEX_INITIALIZER;" for i in range(programs.LOCKS)],
             *[f"static pthread_cond_t c{i} = PTHREAD_COND_INITIALIZER;" for i in range(programs.LOCKS)],
             "static sem_t s0;"]
    for t, body in enumerate(threads):
        lines += [f"static void *t{t}(void *arg)", "{", *[f"    int l{k} = 0; (void)l{k};"
                                                          for k in range(programs.LOCALS)],
                  *c_statements(body, "    "), "    return arg;", "}"]
    lines += ["int main(void)", "{", f"    pthread_t t[{n}];", f"    sem_init(&s0, 0, {source['semaphore']});",
              *[f"    pthread_create(&t[{i}], 0, t{i}, 0);" for i in range(n)],
              *[f"    pthread_join(t[{i}], 0);" for i in range(n)]]
    if source["final"]:
        lines.append("    assert(!(" + " && ".join(f"atomic_load(&x{x}) == {c}" for x, c in source["final"]) + "));")
    return "\n".join(lines + ["    return 0;", "}"]) + "\n"


# ---- Boolean programs ----

def boolean_value(e):
    if e is None:
        return "*"
    op = e[0]
    if op == "c":
        return "T" if e[1] else "F"
    if op == "v":
        return e[1]
    if op == "!":
        return f"!({boolean_value(e[1])})"
    return f"({boolean_value(e[1])} {({'==': '=', '&&': '&', '||': '|'}).get(op, op)} {boolean_value(e[2])})"


def boolean_statements(stmts, pad, fresh):
    """Statements of a lowered core program."""
    out, value = [], boolean_value
    for s in stmts:
        kind = s[0]
        if kind == "set":
            out.append(f"{pad}{s[1][1]} := {value(s[2])};")
        elif kind == "skip":
            out.append(f"{pad}skip;")
        elif kind == "expr":
            out.append(f"{pad}assume({value(s[1])});")
        elif kind == "assert":
            out.append(f"{pad}assert({value(s[1])});")
        elif kind in ("atomic", "d_step"):
            out += [f"{pad}atomic_begin;", *boolean_statements(s[1], pad, fresh), f"{pad}atomic_end;"]
        elif kind == "run":
            out.append(f"{pad}start_thread thread{s[1]}();")
        elif kind == "do":
            out += [f"{pad}while ({value(s[1][0][0][1])}) do", *boolean_statements(s[1][0][1:] or [("skip",)],
                                                                                   pad + "    ", fresh), f"{pad}od;"]
        elif len(s[1]) == 1:
            out += [f"{pad}if ({value(s[1][0][0][1])}) then", *boolean_statements(s[1][0][1:] or [("skip",)],
                                                                                  pad + "    ", fresh),
                    f"{pad}else", *boolean_statements(s[2] or [("skip",)], pad + "    ", fresh), f"{pad}fi;"]
        else:  # several conditions, one of those that hold is taken; else none holds
            fresh[0] += 1
            names = [f"o{fresh[0]}_{i}" for i in range(len(s[1]) + 1)]
            out.append(f"{pad}goto {', '.join(names)};")
            for name, option in zip(names, s[1]):
                out += [f"{pad}{name}: assume({value(option[0][1])});", *boolean_statements(option[1:], pad, fresh),
                        f"{pad}goto e{fresh[0]};"]
            out += [f"{pad}{names[-1]}: assume(!({' | '.join(value(o[0][1]) for o in s[1])}));",
                    *boolean_statements(s[2], pad, fresh),
                    f"{pad}e{fresh[0]}: skip;"]
    return out


def boolean_core(program):
    names = [(name, init) for _, name, init, _ in program["globals"]]
    fresh, lines = [0], ["decl " + ", ".join(n for n, _ in names) + ";"]
    set_up = f"    {', '.join(n for n, _ in names)} := {', '.join('T' if i else 'F' for _, i in names)};"
    has_main = program["init"] is not None
    if not has_main:
        lines += ["void init() begin", set_up, "end"]
    for number, proc in enumerate(program["procs"]):
        locals_ = [n for _, n, _ in proc["locals"]]
        lines.append(f"void {proc['name']}() begin")
        if locals_:
            lines += [f"    decl {', '.join(locals_)};",
                      f"    {', '.join(locals_)} := {', '.join('F' for _ in locals_)};"]
        if number == program["init"]:
            lines.append(set_up)
        lines += boolean_statements(proc["body"], "    ", fresh) + ["end"]
    return "\n".join(lines) + "\n"


def recursive_statements(stmts, pad):
    out, value = [], boolean_value
    for s in stmts:
        kind = s[0]
        if kind == "assign":
            out.append(f"{pad}{', '.join(s[1])} := {', '.join(value(e) for e in s[2])};")
        elif kind in ("assume", "assert"):
            out.append(f"{pad}{kind}({value(s[1])});")
        elif kind == "skip":
            out.append(pad + "skip;")
        elif kind == "call":
            out.append(f"{pad}{f'{s[1]} := ' if s[1] else ''}{s[2]}({value(s[3])});")
        elif kind == "return":
            out.append(f"{pad}return {value(s[1])};")
        elif kind == "atomic":
            out += [f"{pad}atomic_begin;", *recursive_statements(s[1], pad), f"{pad}atomic_end;"]
        elif kind == "while":
            out += [f"{pad}while ({value(s[1])}) do", *recursive_statements(s[2] or [("skip",)], pad + "    "),
                    f"{pad}od;"]
        else:
            out += [f"{pad}if ({value(s[1])}) then", *recursive_statements(s[2] or [("skip",)], pad + "    "),
                    f"{pad}else",
                    *recursive_statements(s[3] or [("skip",)], pad + "    "), f"{pad}fi;"]
    return out


def boolean_recursive(source):
    lines = [f"decl x{i} := {c};" for i, c in enumerate(source["start"])]
    for name, body in source["procedures"].items():
        lines += [f"bool {name}(l0) begin", "    decl l1;", *recursive_statements(body, "    "), "end"]
    for t, body in enumerate(source["threads"]):
        lines += [f"void thread{t}() begin", "    decl l0, l1;", *recursive_statements(body, "    "), "end"]
    return "\n".join(lines) + "\n"


def boolean(source, program):
    return boolean_core(program) if source["kind"] == "core" else boolean_recursive(source)
