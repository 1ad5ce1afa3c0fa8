import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
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

/**
 * Checks whether the process runs, under any user. The kernel answers without a disk; the thread pool would cost an idle service more than
 * the read, once a second.
 */
export function isAlive(pid: number): boolean {
  if (process.platform !== 'linux') return isTaken(pid)
  try {
    // The state follows the program's name, which may have parentheses: Z or X of a process that has ended.
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1')
    return !/^\) [ZX]/.test(text.slice(text.lastIndexOf(')')))
  } catch {
    return false
  }
}

/** Waits for the process to exit, and returns whether it did so in time. */
export async function hasEnded(pid: number, withinMilliseconds: number): Promise<boolean> {
  const deadline = Date.now() + withinMilliseconds
  while (isAlive(pid)) {
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
