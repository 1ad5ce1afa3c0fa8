import { type ChildProcess, execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { startPython } from '../../shared/isolation/bubblewrap.ts'
import { runProcess } from '../../shared/isolation/run-process.ts'
import { runPython } from './run-python.ts'
import { useSandbox } from './use-sandbox.fixture.ts'

// Code in Python that attacks: it can call every function of its process, also native ones, so only the sandbox holds it.

const sandbox = useSandbox()
const { signal } = new AbortController()
const now = new Date('2026-11-28T12:00:00Z')

const run = (code: string, { seconds = 60, mayWrite = true, input = 'null' } = {}) =>
  runPython(sandbox(), { code, input, files: [], now, mayWrite }, { signal, seconds })

/** The result of code, which must have one. */
const readResult = async (code: string) => {
  const { result, error } = await run(code)
  expect(error).toBeUndefined()
  return JSON.parse(result ?? '')
}

/** Tries expressions, and answers with the name of the error of each. */
const tryEach = (expressions: readonly string[]) =>
  readResult(
    `
import ctypes, os, socket, subprocess, threading, multiprocessing
libc = ctypes.CDLL(None, use_errno=True)
def native(name, *args):
    if getattr(libc, name)(*args) == -1:
        raise OSError(ctypes.get_errno(), name)
def attempt(text):
    try:
        return 'done' if eval(text) is not False else 'no'
    except BaseException as error:
        return type(error).__name__
[attempt(text) for text in input]
`.replace('in input]', `in ${JSON.stringify(expressions)}]`),
  )

test('COD-05 Python sees no file, variable, descriptor, process or device of the service', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'noema-secret-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  writeFileSync(join(folder, 'secret'), 'secret')
  const seen = await readResult(`
import os
def list_all(path):
    try: return sorted(os.listdir(path))
    except OSError as error: return error.strerror
def is_open(number):
    try: os.fstat(number); return True
    except OSError: return False
{'root': list_all('/'), 'dev': list_all('/dev'), 'proc': list_all('/proc'), 'sys': list_all('/sys'), 'etc': list_all('/etc'),
 'bin': list_all('/usr/bin'), 'home': list_all('/root'), 'place': list_all(${JSON.stringify(folder)}), 'service': list_all(${JSON.stringify(process.cwd())}),
 'variables': sorted(os.environ), 'open': [n for n in range(1024) if is_open(n)], 'pid': os.getpid(), 'user': os.getuid()}`)
  expect(seen).toMatchObject({
    ...{ proc: 'No such file or directory', sys: 'No such file or directory', home: 'No such file or directory' },
    ...{ place: 'No such file or directory', service: 'No such file or directory', pid: 1, user: 1000 },
    dev: ['null', 'urandom'],
    // Its answer leaves by 3; the rest leads nowhere.
    open: [0, 1, 2, 3],
  })
  expect(seen.bin).toHaveLength(1)
  expect(seen.root).toEqual(expect.not.arrayContaining(['home', 'root', 'tmp', 'var', 'proc', 'work', 'data']))
  expect(seen.variables.filter((name: string) => /NOEMA|PATH|KEY|SECRET|USER/.test(name))).toEqual([])
})

test('COD-05 Python starts no process or thread, opens no socket, shares no memory, makes no namespace, mount or device', async () => {
  const attempts = [
    ...[
      'os.fork()',
      'os.system("id") != 0 and False',
      'subprocess.run(["/bin/sh"])',
      'os.posix_spawn("/bin/sh", [], {})',
    ],
    ...['threading.Thread(target=print).start()', 'multiprocessing.Pool(2)', 'native("clone", None, None, 17, None)'],
    ...[
      'socket.socket()',
      'socket.socket(socket.AF_UNIX)',
      'socket.create_connection(("127.0.0.1", 1))',
      'socket.socket(40, 1)',
    ],
    ...[
      'native("unshare", 0x10000000)',
      'native("mount", b"x", b"/files", b"tmpfs", 0, None)',
      'native("ptrace", 0, 1, 0, 0)',
    ],
    ...['native("shmget", 0, 1000000, 0o1777)', 'native("memfd_create", b"x", 0)', 'native("msgget", 0, 0o1777)'],
    ...[
      'os.mknod("/files/out/disk", 0o60600, os.makedev(8, 0))',
      'os.mkfifo("/files/out/pipe")',
      'native("prctl", 1, 0, 0, 0, 0)',
    ],
    ...[
      'os.symlink("/etc", "/files/out/link")',
      'os.link("/dev/null", "/files/out/hard")',
      'native("syscall", 425, 8, None)',
    ],
    ...[
      'open("/x", "w")',
      'open("/dev/x", "w")',
      'open("/usr/lib/x", "w")',
      'os.mkdir("/tmp")',
      'os.setuid(0)',
      'os.chroot("/files")',
    ],
    ...[
      'native("personality", 0x0040000)',
      'os.nice(-5)',
      'native("setpriority", 0, 0, -5)',
      'native("keyctl", 0, 0)',
      'os.sched_setaffinity(0, {0})',
    ],
  ]
  const answers: string[] = await tryEach(attempts)
  expect(attempts.filter((_, index) => answers[index] === 'done')).toEqual([])
})

test('COD-06 Python is ended beyond its time, memory, folder, files and answer, however it takes them', async () => {
  expect((await run('while True: pass', { seconds: 0.3 })).error).toContain('longer than it may')
  const stubborn = `
import signal
signal.setitimer(signal.ITIMER_REAL, 0)
while True: pass`
  expect((await run(stubborn, { seconds: 0.3 })).error).toContain('longer than it may')
  expect((await run('x = b"x" * 10**9')).error).toContain('more memory than it may')
  expect((await run('a = []\nwhile True: a.append("x" * 10**6)')).error).toContain('more memory than it may')
  const filling = `
with open('big', 'wb') as file:
    while True: file.write(b'x' * 1000000)`
  expect((await run(filling)).error).toMatch(/No space left|File too large/)
  expect((await run('n = 0\nwhile True:\n  n += 1\n  open(str(n), "w").close()')).error).toContain(
    'more memory than it may',
  )
  expect((await run('for n in range(11): open(str(n), "w").write("x")')).error).toContain('at most 10 files')
  expect((await run('open("a", "wb").write(b"x" * 1100000)')).error).toContain('at most 1048576 bytes')
  expect((await run('"x" * 200000')).error).toContain('Return less')
  const flood = await run('for n in range(10**6): print(n)\nraise ValueError("over")')
  expect(flood).toMatchObject({ files: [], error: 'ValueError: over (line 2)' })
  expect(flood.output.length).toBeLessThan(70_000)
  expect((await run('f = lambda: f()\nf()')).error).toContain('RecursionError')
})

test('COD-06 a process that takes over its own answer gives nothing but a bounded one', async () => {
  const forge = (text: string) => run(`import os\nos.write(3, ${text})\nos._exit(0)`)
  for (const text of [
    ...[
      'b""',
      'b"{}\\n"',
      'b"x" * 60000',
      'b"[" * 60000 + b"\\n"',
      `b'{"output":"","files":[],"result":"' + b"[" * 60000 + b'"}\\n'`,
    ],
    ...[
      `b'{"output":"","files":[{"path":"a","bytes":5}],"result":"1"}\\n1234'`,
      `b'{"output":"","files":[],"result":"nonsense"}\\n'`,
      // A text that does not end, of escaped quotation marks.
      `b'"' + b'\\\\"' * 500000 + b'\\n'`,
    ],
  ])
    expect(await forge(text)).toMatchObject({ files: [], error: expect.stringMatching(/nonsense|ended/) })
  const endless = await run('import os\nwhile True: os.write(3, b"x" * 65536)')
  expect(endless).toMatchObject({ files: [], error: 'The code answered more than it may.' })
  expect(await run('import ctypes\nctypes.string_at(0)')).toMatchObject({
    error: expect.stringMatching(/nonsense|ended/),
  })
  expect(await run('print("\\x00\\ud800"); "\\ud800"')).toMatchObject({ output: '\u0000\ufffd\n' })
})

/** The ids of processes that have a text in their command line. */
const findProcesses = (text: string): number[] => {
  try {
    return execFileSync('pgrep', ['-f', text], { encoding: 'utf8' }).trim().split('\n').map(Number)
  } catch {
    return []
  }
}

const makeMark = (): string => `mark_${Math.random().toString(36).slice(2)}`

test('COD-06 nothing is left of a process that is killed or stopped', async () => {
  const mark = makeMark()
  const started = startPython(sandbox(), `import time\n${mark} = 1\ntime.sleep(1000)`)
  await expect.poll(() => findProcesses(mark).length).toBeGreaterThan(1)
  // As when the service is killed: bubblewrap loses its parent, or ends itself.
  started.child.kill('SIGKILL')
  await expect.poll(() => findProcesses(mark).filter((id) => existsSync(`/proc/${id}`))).toEqual([])
  const stopping = new AbortController()
  const stopped = runPython(
    sandbox(),
    { code: 'import time\ntime.sleep(60)', input: 'null', files: [], now, mayWrite: false },
    { signal: stopping.signal, seconds: 60 },
  )
  stopping.abort()
  await expect(stopped).rejects.toThrow('stopped')
})

const nothing = async function* (): AsyncGenerator<Uint8Array> {}

test.each([
  ['stopped', (stop: () => void) => stop(), { endedBy: 'stopped' }],
  [
    'killed with its sandbox',
    (_stop: () => void, child: ChildProcess) => child.kill('SIGKILL'),
    { answer: Buffer.alloc(0) },
  ],
])('COD-06 code that is %s at any moment of its start ends, and nothing of it is left', async (_how, act, result) => {
  const mark = makeMark()
  const limits = { seconds: 60, memoryBytes: 2 ** 29, maxAnswerBytes: 1_000 }
  for (let count = 0; count < 100; count++) {
    const stopping = new AbortController()
    const started = startPython(sandbox(), `import time\n${mark} = 1\ntime.sleep(1000)`)
    const ended = runProcess(started, nothing(), { limits, signal: stopping.signal })
    // Within some twenty milliseconds.
    for (let turn = 0; turn < count * 20; turn++) await setImmediate()
    act(() => stopping.abort(), started.child)
    expect(await ended).toEqual(result)
  }
  await expect.poll(() => findProcesses(mark)).toEqual([])
})
