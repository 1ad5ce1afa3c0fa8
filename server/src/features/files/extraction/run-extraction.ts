import { type ChildProcess, spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { setPriority } from 'node:os'
import { dirname, sep } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { fileURLToPath } from 'node:url'
import type { MeasuredResult, ProcessOptions } from './process-messages.ts'
import { FileRefused, type Refusal } from './refusal.ts'

// Reads one file in a separate process, so that a file can neither crash the service nor see another file. The process ends when it
// answers, exceeds its time or memory, or loses its service.

/** The limits of one extraction: seconds, bytes of memory, and characters of the text. */
export type ExtractionLimits = { seconds: number; memoryBytes: number; maxCharacters: number }

const here = dirname(fileURLToPath(import.meta.url))
const program = fileURLToPath(new URL('extraction-process.ts', import.meta.url))
const preload = new URL('deny-network.ts', import.meta.url).href

/** The folder that has a library, with all libraries next to it. */
const findLibraries = (name: string): string => {
  const path = fileURLToPath(import.meta.resolve(name))
  const marker = `${sep}node_modules${sep}`
  return path.slice(0, path.lastIndexOf(marker) + marker.length)
}

const readable = (): string[] => {
  const libraries = ['unpdf', 'htmlparser2', 'yauzl', 'postal-mime', 'csv-parse'].map(findLibraries)
  return [...new Set([`${here}${sep}`, ...libraries])].map((folder) => `--allow-fs-read=${folder}*`)
}

const MiB = 1024 * 1024

/** The arguments of Node that keep a process from files, other programs, the network, and more memory. */
export const isolate = (memoryBytes: number): string[] => [
  '--permission',
  ...readable(),
  '--disallow-code-generation-from-strings',
  '--no-warnings',
  `--max-old-space-size=${Math.ceil(memoryBytes / MiB)}`,
  `--import=${preload}`,
]

const politeness = 10

/** On Linux a priority belongs to a thread, and new threads have that of their maker: those of Node start after this. */
const lowerPriority = ({ pid }: ChildProcess): void => {
  if (pid === undefined) return
  try {
    setPriority(pid, politeness)
  } catch {
    // The process ended already, or may not have a lower priority: then the work is the same.
  }
}

const start = (options: ProcessOptions, { memoryBytes }: ExtractionLimits): ChildProcess => {
  const child = spawn(
    process.execPath,
    [...isolate(memoryBytes), program, JSON.stringify(options)],
    // It needs nothing of the environment, which may hold secrets.
    { stdio: ['pipe', 'pipe', 'ignore'], env: {} },
  )
  lowerPriority(child)
  return child
}

const pageBytes = 4_096
const memoryPollMilliseconds = 100

/** The memory of a process; undefined where the system does not say. The heap has a limit everywhere. */
const readMemory = async (pid: number): Promise<number | undefined> => {
  const text = await readFile(`/proc/${pid}/statm`, 'utf8').catch(() => undefined)
  return text === undefined ? undefined : Number(text.split(' ')[1]) * pageBytes
}

/** Ends a process that takes too long or too much memory. Returns how to stop watching, and why it was ended. */
const watch = (child: ChildProcess, { seconds, memoryBytes }: ExtractionLimits, signal: AbortSignal) => {
  const ended: { by: Refusal | undefined } = { by: undefined }
  const end = (by: Refusal) => {
    ended.by ??= by
    child.kill('SIGKILL')
  }
  const timer = setTimeout(() => end('time'), seconds * 1000)
  const poll = setInterval(async () => {
    const bytes = child.pid === undefined ? undefined : await readMemory(child.pid)
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

/** The answer of the process, which cannot be longer than its text and what JSON adds to it. */
const readAnswer = async (child: ChildProcess, maxBytes: number, end: (by: Refusal) => void): Promise<string> => {
  const pieces: Buffer[] = []
  let size = 0
  for await (const piece of child.stdout ?? []) {
    size += piece.length
    if (size > maxBytes) {
      end('too_long')
      return ''
    }
    pieces.push(piece)
  }
  return Buffer.concat(pieces).toString('utf8')
}

/** Extracts the text of a file. Throws FileRefused. */
export const runExtraction = async (
  bytes: AsyncIterable<Uint8Array>,
  { format, contentType, charset }: Omit<ProcessOptions, 'maxCharacters'>,
  { limits, signal }: { limits: ExtractionLimits; signal: AbortSignal },
): Promise<Extract<MeasuredResult, { text: string }>> => {
  const child = start({ format, contentType, charset, maxCharacters: limits.maxCharacters }, limits)
  const { ended, end, release } = watch(child, limits, signal)
  const exited = new Promise<void>((resolve) => {
    child.once('exit', () => resolve())
    child.once('error', () => resolve())
  })
  try {
    const input = child.stdin
    // A process that ended early reads no more; its end says why. An error of the file's own bytes is the caller's.
    let failure: unknown
    const watched = async function* () {
      try {
        yield* bytes
      } catch (error) {
        failure = error
        end('broken')
        throw error
      }
    }
    const sending = input ? pipeline(watched, input).catch(() => undefined) : undefined
    const answer = await readAnswer(child, limits.maxCharacters * 6 + 100_000, end)
    await Promise.all([sending, exited])
    if (failure) throw failure
    if (ended.by) throw new FileRefused(ended.by)
    // Node ends a process whose heap is full, and says nothing.
    if (answer === '') throw new FileRefused('memory')
    const result: MeasuredResult = JSON.parse(answer)
    if ('refusal' in result) throw new FileRefused(result.refusal)
    return result
  } finally {
    release()
    child.kill('SIGKILL')
  }
}
