"""Runs code of an agent in a sandbox that run-python.ts starts, which enforces all limits: nothing here protects anything.

A line of JSON and the bytes of files come by standard input, and leave by standard output. The files are in /files/in, and those that the code
leaves in /files/out, its working folder, are the answer.
"""
import os
import sys

FOLDER = "/files"
MAX_OUTPUT = 64 * 1024
MAX_RESULT = 128 * 1024
MAX_FILES = 10
MAX_FILE_BYTES = 1024 * 1024
MAX_ALL_BYTES = 4 * 1024 * 1024
MAX_SEEN = 1000


def limit(memory_bytes, seconds):
    import resource

    for name, value in {
        "RLIMIT_AS": memory_bytes,
        # The service ends it earlier, and says why.
        "RLIMIT_CPU": seconds + 5,
        "RLIMIT_CORE": 0,
        "RLIMIT_FSIZE": 32 * 1024 * 1024,
        "RLIMIT_NOFILE": 64,
        "RLIMIT_NPROC": 0,
        "RLIMIT_MEMLOCK": 0,
        "RLIMIT_MSGQUEUE": 0,
        "RLIMIT_SIGPENDING": 64,
    }.items():
        kind = getattr(resource, name, None)
        if kind is not None:
            resource.setrlimit(kind, (value, value))


def hold_clock(milliseconds):
    """The time of the call is the only one, and random numbers come from it, so that a repeated call has the same result."""
    import datetime
    import hashlib
    import time

    seconds, nanoseconds = milliseconds / 1000, milliseconds * 1_000_000
    drawn = [0]

    def urandom(size):
        blocks = []
        for _ in range(-(-size // 32)):
            drawn[0] += 1
            blocks.append(hashlib.sha256(b"%d %d" % (milliseconds, drawn[0])).digest())
        return b"".join(blocks)[:size]

    os.urandom = urandom
    time.time, time.time_ns = (lambda: seconds), (lambda: nanoseconds)
    for name in ("gmtime", "localtime"):
        known = getattr(time, name)
        setattr(time, name, lambda at=None, known=known: known(seconds if at is None else at))
    ctime, strftime, asctime = time.ctime, time.strftime, time.asctime
    time.ctime = lambda at=None: ctime(seconds if at is None else at)
    time.strftime = lambda form, at=None: strftime(form, time.localtime() if at is None else at)
    time.asctime = lambda at=None: asctime(time.localtime() if at is None else at)
    original = datetime.datetime

    class Kind(type(original)):
        def __instancecheck__(cls, value):
            return isinstance(value, original)

        def __subclasscheck__(cls, kind):
            return issubclass(kind, original)

    class Held(original, metaclass=Kind):
        @classmethod
        def now(cls, tz=None):
            return cls.fromtimestamp(seconds, tz)

        @classmethod
        def utcnow(cls):
            return cls.fromtimestamp(seconds, datetime.timezone.utc).replace(tzinfo=None)

    Held.__name__ = Held.__qualname__ = "datetime"
    Held.__module__ = "datetime"
    datetime.datetime = Held
    import random

    random._urandom = urandom
    random.seed(milliseconds)


class Output:
    """What the code prints, as much as is shown."""

    encoding, errors, closed = "utf-8", "replace", False

    def __init__(self):
        self.text, self.is_cut = "", False

    def write(self, text):
        if not isinstance(text, str):
            raise TypeError("write() argument must be str")
        if not self.is_cut:
            self.text += text
            if len(self.text) > MAX_OUTPUT:
                self.text = self.text[:MAX_OUTPUT] + "\n[cut here: more than %d characters]" % MAX_OUTPUT
                self.is_cut = True
        return len(text)

    def writelines(self, lines):
        for line in lines:
            self.write(line)

    def flush(self):
        pass

    def isatty(self):
        return False

    def writable(self):
        return True

    def readable(self):
        return False


class TooLong(BaseException):
    pass


class Refused(Exception):
    pass


def evaluate(code, scope):
    """Runs the code; the value of its last expression is the result."""
    import ast

    tree = ast.parse(code, "code.py")
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "code.py", "exec"), scope)
    return None if last is None else eval(compile(ast.Expression(last.value), "code.py", "eval"), scope)


def to_json(value, dumps):
    try:
        text = dumps(value, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise Refused("The result is no JSON (%s). End with a dict, list, text, number or None." % error)
    if len(text) > MAX_RESULT:
        raise Refused("The result has more than %d characters of JSON. Return less." % MAX_RESULT)
    return text


def collect():
    """The regular files that the code left. Links are not followed."""
    files, size, seen, folders = [], 0, 0, [""]
    while folders:
        at = folders.pop()
        for entry in sorted(os.scandir(os.path.join(FOLDER, "out", at)), key=lambda one: one.name):
            seen += 1
            path = os.path.join(at, entry.name)
            if entry.is_dir(follow_symlinks=False):
                folders.append(path)
            elif entry.is_file(follow_symlinks=False):
                with open(entry.path, "rb") as file:
                    content = file.read(MAX_FILE_BYTES + 1)
                size += len(content)
                files.append((path, content))
                if len(content) > MAX_FILE_BYTES:
                    raise Refused("A file has at most %d bytes." % MAX_FILE_BYTES)
            if len(files) > MAX_FILES or size > MAX_ALL_BYTES or seen > MAX_SEEN:
                raise Refused("Code writes at most %d files of %d bytes together." % (MAX_FILES, MAX_ALL_BYTES))
    return sorted(files)


def describe(error):
    import traceback

    if isinstance(error, TooLong):
        return "The code took longer than it may."
    if isinstance(error, MemoryError):
        return "The code took more memory than it may."
    if isinstance(error, Refused):
        return str(error)
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == "code.py"]
    text = "".join(traceback.format_exception_only(type(error), error)).strip()
    return (text + (" (line %d)" % lines[-1] if lines else ""))[:2000]


def run(request, output, dumps):
    import signal

    def end(*_):
        raise TooLong

    signal.signal(signal.SIGALRM, end)
    answer, files = {}, []
    try:
        signal.setitimer(signal.ITIMER_REAL, request["seconds"])
        value = evaluate(request["code"], {"__name__": "__main__", "input": request["input"]})
        answer["result"] = to_json(value, dumps)
        files = collect() if request["mayWrite"] else []
    except SystemExit as end_of_code:
        if end_of_code.code in (None, 0):
            answer["result"] = "null"
            files = collect() if request["mayWrite"] else []
        else:
            answer["error"] = "The code exited with %s." % str(end_of_code.code)[:500]
    except BaseException as error:
        # Nothing is kept of files that code wrote before it failed.
        answer, files = {"error": describe(error)}, []
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
    answer["output"] = output.text
    return answer, files


def main():
    import json

    os.dup2(1, 3)
    os.dup2(0, 4)
    os.closerange(5, 65536)
    out, given = os.fdopen(3, "wb"), os.fdopen(4, "rb")
    null = os.open("/dev/null", os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(null, standard)
    os.close(null)
    request = json.loads(given.readline())
    for folder in ("in", "out", "tmp"):
        os.mkdir(os.path.join(FOLDER, folder), 0o700)
    for file in request["files"]:
        path = os.path.join(FOLDER, "in", file["path"])
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as target:
            target.write(given.read(file["bytes"]))
    given.close()
    os.chdir(os.path.join(FOLDER, "out"))
    limit(request["memoryBytes"], int(request["seconds"]))
    hold_clock(request["now"])
    output = Output()
    sys.stdout = sys.stderr = sys.__stdout__ = sys.__stderr__ = output
    answer, files = run(request, output, json.dumps)
    answer["files"] = [{"path": path, "bytes": len(content)} for path, content in files]
    out.write(json.dumps(answer).encode() + b"\n")
    for _, content in files:
        out.write(content)
    out.flush()
    os._exit(0)


main()
