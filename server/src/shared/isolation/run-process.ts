import type { ChildProcess } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { setPriority } from 'node:os'
import { pipeline } from 'node:stream/promises'

// Talks to a process that works on foreign input: sends the input, reads a bounded answer, and ends the process beyond its limits.

/** Why a process was ended before it answered. `input`: reading the input failed. */
export type IsolationEnd = 'time' | 'memory' | 'too_long' | 'stopped' | 'input'

/** Its limits: seconds, bytes of memory, and bytes of the answer. */
export type IsolationLimits = { seconds: number; memoryBytes: number; maxAnswerBytes: number }

/** A process that was started. */
export type StartedProcess = {
  child: ChildProcess
  /** The bytes of memory that it takes; undefined where the system does not say. */
  readMemory: () => Promise<number | undefined>
  kill: () => void
}

const politeness = 10

/** On Linux a priority belongs to a thread, and new threads have that of their maker: those of the process start after this. */
export const lowerPriority = ({ pid }: ChildProcess): void => {
  if (pid === undefined) return
  try {
    setPriority(pid, politeness)
  } catch {
    // The process ended already, or may not have a lower priority: then the work is the same.
  }
}

const pageBytes = 4_096
const memoryPollMilliseconds = 100

/** The memory of a process; undefined where the system does not say. */
export const readProcessMemory = async (pid: number): Promise<number | undefined> => {
  const text = await readFile(`/proc/${pid}/statm`, 'utf8').catch(() => undefined)
  return text === undefined ? undefined : Number(text.split(' ')[1]) * pageBytes
}

/** Ends a process that takes too long or too much memory. Returns how to stop watching, and why it was ended. */
const watch = (
  { readMemory, kill }: StartedProcess,
  { seconds, memoryBytes }: IsolationLimits,
  signal: AbortSignal,
) => {
  const ended: { by: IsolationEnd | undefined } = { by: undefined }
  const end = (by: IsolationEnd) => {
    ended.by ??= by
    kill()
  }
  const timer = setTimeout(() => end('time'), seconds * 1000)
  const poll = setInterval(async () => {
    const bytes = await readMemory()
    if (bytes !== undefined && bytes > memoryBytes) end('memory')
  }, memoryPollMilliseconds)
  const stop = () => end('stopped')
  signal.addEventListener('abort', stop, { once: true })
  if (signal.aborted) stop()
  return {
    ended,
    end,
    release: () => {
      clearTimeout(timer)
      clearInterval(poll)
      signal.removeEventListener('abort', stop)
    },
  }
}

/** The answer of the process, as long as it may be. */
const readAnswer = async (child: ChildProcess, maxBytes: number, end: (by: IsolationEnd) => void): Promise<Buffer> => {
  const pieces: Buffer[] = []
  let size = 0
  for await (const piece of child.stdout ?? []) {
    size += piece.length
    if (size > maxBytes) {
      end('too_long')
      return Buffer.alloc(0)
    }
    pieces.push(piece)
  }
  return Buffer.concat(pieces)
}

/** Sends some input to a process, and returns what it writes, or why it was ended. Throws what reading the input throws. */
export const runProcess = async (
  started: StartedProcess,
  input: AsyncIterable<Uint8Array>,
  { limits, signal }: { limits: IsolationLimits; signal: AbortSignal },
): Promise<{ answer: Buffer } | { endedBy: IsolationEnd }> => {
  const { child, kill } = started
  const { ended, end, release } = watch(started, limits, signal)
  const exited = new Promise<void>((resolve) => {
    child.once('exit', () => resolve())
    child.once('error', () => resolve())
  })
  try {
    // A process that ended early reads no more; its end says why. An error of the input itself is the caller's.
    let failure: unknown
    const watched = async function* () {
      try {
        yield* input
      } catch (error) {
        failure = error
        end('input')
        throw error
      }
    }
    const sending = child.stdin ? pipeline(watched, child.stdin).catch(() => undefined) : undefined
    const answer = await readAnswer(child, limits.maxAnswerBytes, end)
    await Promise.all([sending, exited])
    if (failure) throw failure
    return ended.by ? { endedBy: ended.by } : { answer }
  } finally {
    release()
    kill()
  }
}
