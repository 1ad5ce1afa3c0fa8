import type { Format } from './find-format.ts'
import type { Refusal } from './refusal.ts'

/** The arguments of the process that reads one file. */
export type ProcessOptions = {
  format: Format
  contentType: string
  charset: string | undefined
  maxCharacters: number
}

/** The text of a file, and its title if it names one. */
export type Extracted = { text: string; title?: string | undefined }

/** The answer of the process. */
export type ExtractionResult = Extracted | { refusal: Refusal }

/** The same with the most memory that the process had, in bytes. */
export type MeasuredResult = ExtractionResult & { peakBytes: number }
