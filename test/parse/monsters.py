#!/usr/bin/env python3
"""Input that is large, deep or broken: monsters.py NAME prints one of them, monsters.py alone their names and the
exit status that heddle must have on each."""
import random
import sys

DEEP = 100000


def nested(open_text, middle, close_text, depth=DEEP):
    return open_text * depth + middle + close_text * depth


def init(body):
    return "int x; bool b;\ninit {\n" + body + "\n}\n"


def binary():
    chance = random.Random(1)
    return bytes(chance.randrange(256) for _ in range(300000))


def doubling_inlines():
    lines = ["inline f0() { skip }"]
    lines += [f"inline f{i}() {{ f{i - 1}(); f{i - 1}() }}" for i in range(1, 50)]
    return "\n".join(lines) + "\ninit { f49() }\n"


def doubling_typedefs():
    lines = ["typedef T0 { byte a; byte b }"]
    lines += [f"typedef T{i} {{ T{i - 1} a; T{i - 1} b }}" for i in range(1, 60)]
    return "\n".join(lines) + "\nT59 t;\ninit { t.a.a = 1 }\n"


MONSTERS = {
    # name: (exit status, text)
    "ten-megabytes-of-statements": (0, lambda: init("    x = x + 1;\n" * 700000 + "skip")),
    "ten-megabytes-of-blocks": (0, lambda: init("{ int y; y = 1 };\n" * 550000 + "skip")),
    "ten-megabytes-of-labels": (0, lambda: init("".join(f"L{i}: skip; goto L{i // 2};\n" for i in range(350000)) + "skip")),
    "ten-megabytes-of-globals": (0, lambda: "".join(f"int v{i};\n" for i in range(800000)) + "init { v3 = v799999 }\n"),
    "ten-megabytes-of-errors": (2, lambda: init("y = ;\n" * 1700000)),
    "ten-megabytes-of-letters": (2, lambda: "a" * 10000000),
    "ten-megabytes-of-quotes": (2, lambda: '"' * 10000000),
    "ten-megabytes-of-braces": (2, lambda: "init " + "{" * 10000000),
    "ten-megabytes-of-closing-braces": (2, lambda: "}" * 10000000),
    "ten-megabytes-of-comment": (2, lambda: "/* " + "x" * 10000000),
    "deep-parentheses": (2, lambda: init("x = " + nested("(", "1", ")"))),
    "deep-minus": (2, lambda: init("x = " + "- " * DEEP + "1")),
    "deep-not": (2, lambda: init("(" + "! " * DEEP + "b)")),
    "deep-blocks": (2, lambda: init(nested("{", "skip", "}"))),
    "deep-if": (2, lambda: init(nested("if :: ", "skip", " fi"))),
    "deep-index": (2, lambda: "byte a[3];\n" + init("x = " + nested("a[", "1", "]"))),
    "deep-conditional": (2, lambda: init("x = " + nested("(b -> ", "1", " : 2)"))),
    "deep-constant": (2, lambda: "int a[" + nested("(", "1", ")") + "];\n" + init("skip")),
    "deep-receive": (2, lambda: "chan q = [1] of { byte };\n" + init("q?" + nested("(", "x", ")"))),
    "deep-ltl": (2, lambda: "int x;\nltl p { " + "[] " * DEEP + "(x == 0) }\ninit { skip }\n"),
    "long-expression": (2, lambda: init("x = " + "x + " * 1000000 + "1")),
    "long-labels": (0, lambda: init("".join(f"L{i}: " for i in range(100000)) + "skip")),
    "doubling-inlines": (2, doubling_inlines),
    "inline-times-argument": (2, lambda: "inline f(a) { " + "x = a; " * 10000 + "skip }\n" + init("f(1" + " + 1" * 3000 + ")")),
    "doubling-typedefs": (2, doubling_typedefs),
    "many-elses": (2, lambda: init("if " + ":: else " * 200000 + "fi")),
    "no-newline": (0, lambda: "init { skip }"),
    "empty": (2, lambda: ""),
    "only-zeros": (2, lambda: b"\0" * 1000),
    "zero-inside": (2, lambda: b"init { skip \0; skip }\n"),
    "binary": (2, binary),
    "latin-letters": (2, lambda: "int \u00fcber;\ninit { skip }\n"),
    "carriage-returns": (0, lambda: "int x;\r\ninit {\r\n\tx = 1;\r\n\tx = 2\r\n}\r\n"),
}


def main():
    if len(sys.argv) == 1:
        for name, (status, _) in MONSTERS.items():
            print(name, status)
    else:
        text = MONSTERS[sys.argv[1]][1]()
        sys.stdout.buffer.write(text if isinstance(text, bytes) else text.encode())


main()
