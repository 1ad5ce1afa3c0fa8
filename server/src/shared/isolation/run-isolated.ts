import { type ChildProcess, spawn } from 'node:child_process'
import { dirname, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type IsolationEnd, type IsolationLimits, lowerPriority, readProcessMemory, runProcess } from './run-process.ts'

// Runs a program of ours on foreign input in a separate process, so that the input can neither crash the service nor see anything of it.
// The process has no environment, no files but its own code, no network, no other programs and no threads. It ends when it answers,
// exceeds its time or memory, or loses its service.

/** A program: its file, the argument that it gets, and the libraries that it may read. */
export type IsolatedProgram = { program: string; argument: string; libraries: readonly string[] }

const preload = new URL('deny-network.ts', import.meta.url)

/** The folder that has a library, with all libraries next to it. */
const findLibraries = (name: string): string => {
  const path = fileURLToPath(import.meta.resolve(name))
  const marker = `${sep}node_modules${sep}`
  return path.slice(0, path.lastIndexOf(marker) + marker.length)
}

const MiB = 1024 * 1024

/** The arguments of Node that keep a process from files, other programs, the network, and more memory. */
export const isolate = (
  { program, libraries }: Pick<IsolatedProgram, 'program' | 'libraries'>,
  memoryBytes: number,
) => {
  const folders = [
    `${dirname(program)}${sep}`,
    `${dirname(fileURLToPath(preload))}${sep}`,
    ...libraries.map(findLibraries),
  ]
  return [
    '--permission',
    ...[...new Set(folders)].map((folder) => `--allow-fs-read=${folder}*`),
    '--disallow-code-generation-from-strings',
    '--no-warnings',
    `--max-old-space-size=${Math.ceil(memoryBytes / MiB)}`,
    `--import=${preload.href}`,
  ]
}

const start = ({ argument, ...code }: IsolatedProgram, { memoryBytes }: IsolationLimits): ChildProcess => {
  const child = spawn(
    process.execPath,
    [...isolate(code, memoryBytes), code.program, argument],
    // It needs nothing of the environment, which may hold secrets.
    { stdio: ['pipe', 'pipe', 'ignore'], env: { TZ: 'UTC' } },
  )
  lowerPriority(child)
  return child
}

/** Runs a program on some input, and returns what it writes, or why it was ended. Throws what reading the input throws. */
export const runIsolated = async (
  program: IsolatedProgram,
  input: AsyncIterable<Uint8Array>,
  options: { limits: IsolationLimits; signal: AbortSignal },
): Promise<{ answer: string } | { endedBy: IsolationEnd }> => {
  const child = start(program, options.limits)
  const { pid } = child
  const started = {
    child,
    readMemory: async () => (pid === undefined ? undefined : readProcessMemory(pid)),
    kill: () => void child.kill('SIGKILL'),
  }
  const run = await runProcess(started, input, options)
  if ('endedBy' in run) return run
  // Node ends a process whose heap is full, and says nothing.
  return run.answer.length === 0 ? { endedBy: 'memory' } : { answer: run.answer.toString('utf8') }
}
