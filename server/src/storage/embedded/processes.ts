import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { toErrorCode } from './file-errors.ts'

const run = promisify(execFile)

/** The process's program and arguments joined by spaces; `undefined` when there is no such process or it is a zombie. */
export async function readCommandLine(pid: number): Promise<string | undefined> {
  if (process.platform === 'linux') {
    const text = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
    // A dead child that was not reaped keeps its pid, with an empty command line.
    return text === '' ? undefined : text.split('\0').join(' ').trim()
  }
  const found = await run('ps', ['-ww', '-p', String(pid), '-o', 'command=']).catch(() => ({ stdout: '' }))
  return found.stdout.trim() || undefined
}

/** Checks whether the pid is in use, even by a dead process that was not reaped. */
export function isTaken(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return toErrorCode(error) === 'EPERM'
  }
}

/** Checks whether the process runs, under any user. */
export async function isAlive(pid: number): Promise<boolean> {
  return isTaken(pid) && (process.platform !== 'linux' || (await readCommandLine(pid)) !== undefined)
}

/** Waits for the process to exit, and returns whether it did so in time. */
export async function hasEnded(pid: number, withinMilliseconds: number): Promise<boolean> {
  const deadline = Date.now() + withinMilliseconds
  while (await isAlive(pid)) {
    if (Date.now() > deadline) return false
    await delay(15)
  }
  return true
}

/** Sends the signal; a process that has just exited is no error. */
export function signalProcess(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if (toErrorCode(error) !== 'ESRCH') throw error
  }
}
