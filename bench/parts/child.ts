import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

/** A server in a process of its own, which said that it is ready. */
export type ServerProcess = {
  pid: number
  port: number
  /** From the start of the process to its being ready. */
  startMilliseconds: number
  /** Time on a processor since its start; undefined where the system has no /proc. */
  cpuMilliseconds(): number | undefined
  residentMegabytes(): number | undefined
  /** Sends its process a message; only where its own are received. */
  send(message: object): void
  /** Suspends the process and its children until `resume`, so that others are measured without it. */
  pause(): void
  resume(): void
  stop(): Promise<void>
}

export type ServerCommand = {
  script: string
  args?: string[]
  env?: Record<string, string>
  nodeArgs?: readonly string[]
  /** The checkout of the script; this one by default. */
  tree?: string
  /** Receives messages of the server's process. */
  onMessage?: (message: unknown) => void
}

export const thisTree = fileURLToPath(new URL('../../', import.meta.url))
const { scripts } = JSON.parse(readFileSync(`${thisTree}package.json`, 'utf8')) as { scripts: { start: string } }

/**
 * The flags of `npm start` for Node: space for short-lived objects of requests, so that collecting them takes less of a
 * write.
 */
export const startNodeFlags: readonly string[] = scripts.start.match(/--\S+/g) ?? []

// Some floors index a million texts first.
const readyMilliseconds = 1_800_000
const clockTicksPerSecond = 100

const readProc = (pid: number, file: string): string | undefined => {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8')
  } catch {
    return undefined
  }
}

/** The fields after the command in parentheses, which is field 2. */
const readStat = (pid: number): string[] | undefined =>
  readProc(pid, 'stat')
    ?.replace(/^.*\) /s, '')
    .split(' ')

/** User and system time, fields 14 and 15, and 16 and 17 of the children that ended. */
export const readCpuMilliseconds = (pid: number): number | undefined => {
  const ticks = readStat(pid)?.slice(11, 15)
  return ticks && (ticks.reduce((sum, field) => sum + Number(field), 0) * 1000) / clockTicksPerSecond
}

export const readParent = (pid: number): number | undefined => {
  const parent = readStat(pid)?.[1]
  return parent === undefined ? undefined : Number(parent)
}

/** The processes that a process started and that have not ended. */
export const listChildren = (pid: number): number[] =>
  readdirSync('/proc')
    .map(Number)
    .filter((one) => readParent(one) === pid)

/** The threads of a process; none if it has ended. */
export const listThreads = (pid: number): string[] => {
  try {
    return readdirSync(`/proc/${pid}/task`)
  } catch {
    return []
  }
}

const readResidentMegabytes = (pid: number): number | undefined => {
  const kilobytes = /VmRSS:\s+(\d+)/.exec(readProc(pid, 'status') ?? '')?.[1]
  return kilobytes === undefined ? undefined : Number(kilobytes) / 1024
}

/** Resolves with the port of the line that says ready. Lines before it are not ours to judge. */
const readyPort = async (child: ChildProcess): Promise<number> => {
  if (!child.stdout) throw new Error('the server has no standard output')
  const tooLate = setTimeout(() => child.kill('SIGKILL'), readyMilliseconds)
  for await (const line of createInterface(child.stdout)) {
    if (!line.includes('"ready"')) continue
    clearTimeout(tooLate)
    child.stdout.resume()
    return Number(new URL(JSON.parse(line).url).port)
  }
  throw new Error('a server ended before it was ready; its complaint stands above')
}

const running = new Set<ChildProcess>()
process.once('exit', () => {
  for (const child of running) {
    child.kill('SIGCONT')
    child.kill()
  }
})

/** Sends a signal to a process and its children, of which some may have ended meanwhile. */
const signalAll = (pid: number, signal: NodeJS.Signals): void => {
  for (const one of [...listChildren(pid), pid])
    try {
      process.kill(one, signal)
    } catch {}
}

/** Starts a server: a script of a checkout that prints a JSON line with msg "ready" and its url. */
export const startServer = async (command: ServerCommand): Promise<ServerProcess> => {
  const { script, args = [], env, nodeArgs = [], tree = thisTree, onMessage } = command
  const startedAt = performance.now()
  const child = spawn(process.execPath, [...nodeArgs, script, ...args], {
    cwd: tree,
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', process.env.BENCH_VERBOSE ? 'inherit' : 'ignore', ...(onMessage ? ['ipc' as const] : [])],
  })
  if (onMessage) child.on('message', onMessage)
  running.add(child)
  child.once('exit', () => running.delete(child))
  const port = await readyPort(child)
  const pid = child.pid ?? 0
  return {
    pid,
    port,
    startMilliseconds: performance.now() - startedAt,
    cpuMilliseconds: () => readCpuMilliseconds(pid),
    residentMegabytes: () => readResidentMegabytes(pid),
    send: (message) => void child.send(message),
    pause: () => signalAll(pid, 'SIGSTOP'),
    resume: () => signalAll(pid, 'SIGCONT'),
    stop: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return
      const ended = once(child, 'exit')
      signalAll(pid, 'SIGCONT')
      child.kill('SIGTERM')
      await ended
    },
  }
}
