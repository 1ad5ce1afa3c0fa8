import type { ExportCodec } from '../../kernel/export-lines/export-lines.ts'

/** One line of an import: its number from 1, its bytes without the line feed, and the JSON value that they are. */
export type Line = { number: number; bytes: Buffer; value: unknown }

/** The numbers of lines of each sort in a file. */
export type Counts = Record<`${ExportCodec['name']}s`, number>
