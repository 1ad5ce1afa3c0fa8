import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, lstatSync, readlinkSync, realpathSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { sep } from 'node:path'
import { lowerPriority, readProcessMemory, type StartedProcess } from './run-process.ts'
import { filterSystemCalls } from './system-calls.ts'

// Starts the system's Python in bubblewrap. Its namespaces have no network, no other process, no /proc and no device but null and urandom, and no
// files but Python's own, read only, and one folder in memory. A filter denies it new processes and most of Linux.

/** A Python, and the sandbox that it runs in. */
export type Sandbox = {
  bwrap: string
  python: string
  filter: Buffer
  /** Folders that the sandbox shows empty although they are inside of others that it shows. */
  hidden: readonly string[]
}

/** Debian's paths, and those of images that build Python themselves. The PATH may lead to a wrapper that is no Python. */
const usualPrograms = {
  pythons: ['/usr/bin/python3', '/usr/local/bin/python3'],
  bubblewraps: ['/usr/bin/bwrap', '/usr/local/bin/bwrap'],
}

/** Paths at which the programs are looked for. */
export type Programs = typeof usualPrograms

/** The folder of the sandbox that can be written to. */
const sandboxFolder = '/files'
const folderBytes = 32 * 1024 * 1024

/** The memory that a file there counts as, besides its content: more than Linux takes, because nothing else limits their number. */
const fileBytes = 16 * 1024

/** The files that Python loads: its libraries, those of the system with their cache, and time zones. */
const toShown = (python: string): string[] =>
  [
    ...['/lib', '/lib64', '/usr/lib', '/usr/lib64', '/usr/share/zoneinfo', '/etc/ld.so.cache'],
    ...(python.startsWith('/usr/local/') ? ['/usr/local/lib'] : []),
    python,
  ].filter((path) => existsSync(path))

const show = (path: string): string[] =>
  lstatSync(path).isSymbolicLink() ? ['--symlink', readlinkSync(path), path] : ['--ro-bind', path, path]

/** Other programs in JavaScript, Noema among them, are below these. */
const moduleFolders = ['/usr/lib/node_modules', '/usr/local/lib/node_modules']

const hide = (path: string): string[] => ['--size', '4096', '--tmpfs', path, '--remount-ro', path]

const toArguments = ({ python, hidden }: Sandbox): string[] => {
  const shown = toShown(python)
  const isShown = (path: string) => existsSync(path) && shown.some((folder) => path.startsWith(`${folder}${sep}`))
  const hiding = [...new Set([...moduleFolders, ...hidden])].filter(isShown)
  return [
    ...[
      '--unshare-all',
      '--unshare-user',
      '--disable-userns',
      '--uid',
      '1000',
      '--gid',
      '1000',
      '--hostname',
      'sandbox',
    ],
    ...['--die-with-parent', '--new-session', '--as-pid-1', '--cap-drop', 'ALL', '--clearenv'],
    ...shown.flatMap(show),
    ...hiding.flatMap(hide),
    ...['/dev/null', '/dev/urandom'].flatMap((device) => ['--dev-bind', device, device]),
    ...['--perms', '0700', '--size', String(folderBytes), '--tmpfs', sandboxFolder],
    // The root is in memory, too, where nothing bounds it.
    ...['--remount-ro', '/', '--chdir', sandboxFolder],
  ]
}

/** Root would be root in the eyes of Linux, and its limits would not hold. */
const nobody = 65_534
const account = () => (process.getuid?.() === 0 ? { uid: nobody, gid: nobody } : {})

/** The id of the program inside, as this system knows it, which bubblewrap writes as soon as it has started it. */
const readInnerId = async (child: ChildProcess): Promise<number | undefined> => {
  let text = ''
  const stream = child.stdio[3]
  if (!stream || !('setEncoding' in stream)) return undefined
  for await (const piece of stream.setEncoding('utf8')) text += piece
  const [, id] = /"child-pid": (\d+)/.exec(text) ?? []
  return id === undefined ? undefined : Number(id)
}

/** The memory of the program and of its folder. */
const readMemory = async (pid: number): Promise<number | undefined> => {
  const own = await readProcessMemory(pid)
  const folder = await statfs(`/proc/${pid}/root${sandboxFolder}`).catch(() => undefined)
  if (own === undefined || !folder) return own
  const { blocks, bfree, bsize, files, ffree } = folder
  return own + (blocks - bfree) * bsize + (files - ffree) * fileBytes
}

const killById = (pid: number): void => {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It ended already.
  }
}

/**
 * Ends Python at once where its service is gone already. From here on, bubblewrap ends it with its parent, but a parent that dies before that would
 * leave it behind.
 */
const endWithoutService = `import os, select
service = select.poll()
service.register(5, 0)
if service.poll(0): os._exit(1)
os.close(5)
`

/** Starts Python on a program's text. It reads standard input and answers on standard output. */
export const startPython = (sandbox: Sandbox, program: string): StartedProcess => {
  const { bwrap, python, filter } = sandbox
  const variables = { TZ: 'UTC', HOME: `${sandboxFolder}/tmp`, TMPDIR: `${sandboxFolder}/tmp`, PYTHONHASHSEED: '0' }
  const settings = Object.entries({ ...variables, PYTHONUTF8: '1', OPENBLAS_NUM_THREADS: '1', OMP_NUM_THREADS: '1' })
  const child = spawn(
    bwrap,
    [
      ...toArguments(sandbox),
      ...settings.flatMap(([name, value]) => ['--setenv', name, value]),
      ...['--info-fd', '3', '--seccomp', '4', python, '-s', '-B', '-c', endWithoutService + program],
    ],
    { stdio: ['pipe', 'pipe', 'ignore', 'pipe', 'pipe', 'pipe'], detached: true, env: {}, cwd: '/', ...account() },
  )
  lowerPriority(child)
  const rules = child.stdio[4]
  if (rules && 'end' in rules) rules.on('error', () => {}).end(filter)
  let inner: number | undefined
  const named = readInnerId(child).then(
    (id) => {
      inner = id
    },
    () => {},
  )
  // TypeScript knows five of the streams.
  const service = [...child.stdio].at(5)
  service?.on('error', () => {})
  const killGroup = () => {
    if (child.pid !== undefined) killById(-child.pid)
  }
  let isOver = false
  child.once('exit', (_, signal) => {
    isOver = true
    if (signal === null) return
    service?.destroy()
    // Until it begins, the program inside is in bubblewrap's process group: it would wait for it forever and keep the answer open.
    killGroup()
    void named.then(() => {
      if (inner !== undefined) killById(inner)
    })
  })
  return {
    child,
    readMemory: async () => (inner === undefined ? undefined : readMemory(inner)),
    kill: () => {
      service?.destroy()
      if (!isOver) killGroup()
    },
  }
}

/** Finds the programs of the sandbox on this machine, or says what is missing. */
export const findSandbox = (
  hidden: readonly string[],
  { bubblewraps, pythons }: Programs = usualPrograms,
): Sandbox | { missing: string } => {
  if (process.platform !== 'linux') return { missing: 'it needs Linux' }
  const bwrap = bubblewraps.find((path) => existsSync(path))
  if (bwrap === undefined) return { missing: 'bubblewrap is not installed. On Debian: apt-get install bubblewrap' }
  const found = pythons.find((path) => existsSync(path))
  if (found === undefined) return { missing: 'Python is not installed. On Debian: apt-get install python3' }
  const filter = filterSystemCalls()
  if (!filter) return { missing: `it needs a processor of x64 or arm64, and this is ${process.arch}` }
  return { bwrap, python: realpathSync(found), filter, hidden }
}
