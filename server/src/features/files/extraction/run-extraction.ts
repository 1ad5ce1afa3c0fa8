import { fileURLToPath } from 'node:url'
import { runIsolated } from '../../../shared/isolation/run-isolated.ts'
import type { MeasuredResult, ProcessOptions } from './process-messages.ts'
import { FileRefused } from './refusal.ts'

// Reads one file in a separate process, so that a file can neither crash the service nor see another file.

/** The limits of one extraction: seconds, bytes of memory, and characters of the text. */
export type ExtractionLimits = { seconds: number; memoryBytes: number; maxCharacters: number }

/** The program that reads a file, and the libraries that it may read. */
const extractionProgram = {
  program: fileURLToPath(new URL('extraction-process.ts', import.meta.url)),
  libraries: ['unpdf', 'htmlparser2', 'yauzl', 'postal-mime', 'csv-parse'],
}

/** Extracts the text of a file. Throws FileRefused. */
export const runExtraction = async (
  bytes: AsyncIterable<Uint8Array>,
  { format, contentType, charset }: Omit<ProcessOptions, 'maxCharacters'>,
  { limits, signal }: { limits: ExtractionLimits; signal: AbortSignal },
): Promise<Extract<MeasuredResult, { text: string }>> => {
  const { maxCharacters, ...given } = limits
  const options: ProcessOptions = { format, contentType, charset, maxCharacters }
  // The answer cannot be longer than its text and what JSON adds to it.
  const maxAnswerBytes = maxCharacters * 6 + 100_000
  const program = { ...extractionProgram, argument: JSON.stringify(options) }
  const read = await runIsolated(program, bytes, { limits: { ...given, maxAnswerBytes }, signal })
  if ('endedBy' in read) throw new FileRefused(read.endedBy === 'input' ? 'broken' : read.endedBy)
  const result: MeasuredResult = JSON.parse(read.answer)
  if ('refusal' in result) throw new FileRefused(result.refusal)
  return result
}
