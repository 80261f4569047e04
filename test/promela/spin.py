"""Spin, the models that it ships and ours, for test/promela: what is asked once is kept beside the tests."""
import glob, gzip, hashlib, os, re, shutil, signal, subprocess

EXAMPLES = "/usr/share/doc/spin/examples"
SECONDS = int(os.environ.get("SPIN_SECONDS", "10"))  # of processor time, which does not depend on what else runs
MEMORY_MB = 4000


def unpack(to):
    shutil.copytree(EXAMPLES, to, dirs_exist_ok=True)
    for folder, _, names in os.walk(to):
        for name in names:
            path = os.path.join(folder, name)
            if name.endswith(".gz"):
                try:
                    text = gzip.open(path).read()
                except EOFError:
                    continue
                open(path[:-3], "wb").write(text)


def unpack_own(root):
    here = os.path.dirname(os.path.abspath(__file__))
    shutil.copytree(here + "/models", root + "/models")
    shutil.copytree(here + "/../parse/good", root + "/good")


def models(root):
    for folder, _, names in sorted(os.walk(root)):
        for name in sorted(names):
            if name.endswith(".pml"):
                yield os.path.join(folder, name)


def run(command, cwd, seconds=1000, stderr=subprocess.STDOUT):
    """(exit status, output) within so many seconds of processor time; the status is None if they were not enough."""
    limited = ["sh", "-c", f'ulimit -t {seconds}; exec "$@"', "sh", *command]
    p = subprocess.run(limited, cwd=cwd, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=stderr)
    return None if p.returncode in (-signal.SIGXCPU, -signal.SIGKILL) else p.returncode, p.stdout.decode("latin-1")


class Pan:
    """A verifier made by Spin from one model."""

    def __init__(self, model, work, options, reduce=False):
        self.work, self.model = work, model
        os.makedirs(work)
        for name in os.listdir(os.path.dirname(model)):
            source = os.path.join(os.path.dirname(model), name)
            if os.path.isfile(source):
                shutil.copy(source, work)
        code, self.text = run(["spin", *options, "-a", os.path.basename(model)], work)
        self.built = False
        if os.path.exists(work + "/pan.c"):
            flags = ["-O1", "-w", "-DSAFETY", "-DNOCLAIM", f"-DMEMLIM={MEMORY_MB}", *([] if reduce else ["-DNOREDUCE"])]
            code, self.text = run(["gcc", *flags, "-o", "pan", "pan.c"], work)
            self.built = code == 0

    def check(self, *options):
        """(states, errors) or None if the search was not complete."""
        code, text = run(["./pan", "-m2000000", "-n", *options], self.work, SECONDS)
        cut = ("too small", "out of memory", "Search not completed", "aborting", "limit reached")
        states = re.search(r"([\d.e+]+) states, stored", text)
        errors = re.search(r"errors: (\d+)", text)
        if code is None or not states or any(c in text for c in cut):
            return None
        return int(float(states.group(1))), int(errors.group(1))


def identity(model):
    """A hash of the model and of the headers beside it."""
    files = [model, *sorted(glob.glob(os.path.dirname(model) + "/*.h"))]
    return hashlib.sha256(b"".join(open(f, "rb").read() for f in files)).hexdigest()[:12]


def spin_version():
    return run(["spin", "-V"], ".")[1].strip()
