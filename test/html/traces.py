#!/usr/bin/env python3
"""Traces that no program would make: traces.py DIRECTORY writes hostile.trace, long.trace (100,000 steps) and loop.trace."""
import json, os, sys


def trace(threads, steps, **more):
    return {"format": 1, "input": "x.pml", "input_hash": None, "engine": "explicit", "options": [], "threads": threads,
            "error": {"kind": "assertion", "message": "m", "location": None}, "cycle_start": None, "steps": steps, **more}


def step(thread, action, **more):
    return {"thread": thread, "action": action, **more}


HOSTILE = ["</script><script>window.hacked=1</script>", "<img src=x onerror='window.hacked=1'>", "\"><svg onload=window.hacked=1>",
           "<!--<script>", "]]>", "'\"&lt;", "\u202egnp.exe\u2066", "\x1b[31mred\x07", "\uefff\uefb0", "a\nb\tc", "javascript:window.hacked=1",
           "\u2028\u2029", "end", "#quot;%%{init}%%", "\\N\\l\\", "@DATA@ @TEXT@", "x" * 5000, "ümläut 漢字 🧵"]


def hostile():
    threads = [text.replace("\n", " ").replace("\x1b", "").replace("\x07", "").replace("\t", " ") for text in HOSTILE]
    steps = [step(i, text, file=text, line=i, output=text, changes=[{"name": text, "value": text}], previous_enabled=i % 2 == 1)
             for i, text in enumerate(HOSTILE)]
    for i, text in enumerate(HOSTILE):
        steps.append(step(i, "lock " + text))
        steps.append(step(i, "unlock " + text))
        steps.append(step(i, text + "!1", changes=[{"name": "c" + text, "value": "[1]"}]))
    steps.append(step(0, "both", partner=1, parts=[step(0, HOSTILE[0]), step(1, HOSTILE[1])]))
    for i, s in enumerate(steps):
        s["stack"] = [i % len(HOSTILE), (i + 1) % len(HOSTILE)]
    frames = [{"function": text, "file": text, "line": i} for i, text in enumerate(HOSTILE)]
    made = trace(threads, steps, frames=frames, notes=HOSTILE + ["why: " + HOSTILE[0]], other={"threads": threads, "frames": frames, "steps": steps[:3]})
    made["error"] = {"kind": "assertion", "message": " ".join(HOSTILE[:4]), "location": HOSTILE[0]}
    made["input"] = HOSTILE[0]
    return made


def long(count=100000):
    steps = [step(i // 7 % 3, f"x = {i}", file="none.c", line=1 + i % 50, changes=[{"name": f"x{i % 20}", "value": str(i)}],
                  previous_enabled=i % 14 == 0) for i in range(count)]
    return trace(["main", "T1", "T2"], steps)


def loop():
    before = [step(0, "start")]
    around = [step(1, "read flag"), step(1, "yield")] * 50
    return trace(["main", "T1"], before + around + [step(0, "x = 1"), step(1, "stop"), step(0, "go round")], cycle_start=103)


if __name__ == "__main__":
    for name, made in (("hostile", hostile()), ("long", long()), ("loop", loop())):
        with open(os.path.join(sys.argv[1], name + ".trace"), "w") as f:
            json.dump(made, f)
