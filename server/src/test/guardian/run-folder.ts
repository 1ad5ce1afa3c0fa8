import { existsSync } from 'node:fs'
import { chmod, mkdtemp, readdir, readFile, readlink, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { readCommandLine, signalProcess } from '../../storage/embedded/processes.ts'

// The folder of one test run: all temporary files of its tests are in it, so that no run leaves anything behind.

const prefix = 'noema-run-'
const endMilliseconds = 10_000

const toName = (pid: number) => `${prefix}${pid}-`

/** Makes the folder of the run that this process guards. */
export const makeRunFolder = async (base: string): Promise<string> => {
  const folder = await mkdtemp(join(base, toName(process.pid)))
  // PostgreSQL runs as another user where tests run as root.
  await chmod(folder, 0o1777)
  return folder
}

/** Reads the signs of a process's run: its program, its working folder, and its environment. */
const readTraces = async (pid: string): Promise<string> => {
  const parts = await Promise.allSettled([
    readFile(`/proc/${pid}/cmdline`, 'utf8'),
    readlink(`/proc/${pid}/cwd`),
    readFile(`/proc/${pid}/environ`, 'utf8'),
  ])
  return parts.map((part) => (part.status === 'fulfilled' ? part.value : '')).join('\0')
}

/** Finds the processes whose signs name this text; only Linux has them. */
const findProcesses = async (named: string): Promise<number[]> => {
  if (!existsSync('/proc/self/environ')) return []
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
  const found = await Promise.all(
    pids.map(async (pid) => ((await readTraces(pid)).includes(named) ? [Number(pid)] : [])),
  )
  return found.flat()
}

const waitForNone = async (named: string, note: (left: number[]) => void = () => {}): Promise<void> => {
  const deadline = Date.now() + endMilliseconds
  let left = await findProcesses(named)
  while (left.length > 0 && Date.now() < deadline) {
    note(left)
    await delay(50)
    left = await findProcesses(named)
  }
}

/** Lets the workers of a run finish: they may still be closing what their tests opened. */
export const waitForWorkers = (folder: string): Promise<void> => waitForNone(`TMPDIR=${folder}`)

/** Suspends every process that uses a folder, or resumes it. */
export const signalProcesses = async (folder: string, signal: 'SIGSTOP' | 'SIGCONT'): Promise<void> => {
  for (const pid of await findProcesses(folder)) signalProcess(pid, signal)
}

/** Kills every process that uses a folder. */
export const killProcesses = (folder: string): Promise<void> =>
  waitForNone(folder, (left) => left.map((pid) => signalProcess(pid, 'SIGKILL')))

/** Kills every process that uses a run's folder, and removes it. */
export const clearRunFolder = async (folder: string): Promise<void> => {
  await killProcesses(folder)
  await rm(folder, { recursive: true, force: true, maxRetries: 5 })
}

/** Removes the remains of runs whose guardian was killed itself. */
export const clearStaleRuns = async (base: string, program: string): Promise<void> => {
  for (const name of await readdir(base)) {
    const pid = new RegExp(`^${prefix}(\\d+)-`).exec(name)?.[1]
    if (pid === undefined || (await readCommandLine(Number(pid)))?.includes(program)) continue
    await clearRunFolder(join(base, name))
  }
}
