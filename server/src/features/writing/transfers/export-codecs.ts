import type { ExportCodec } from '../../kernel/export-lines/export-lines.ts'
import { contentKinds } from '../../knowledge/content/content.ts'
import { dateCodec } from '../../knowledge/dates/export-codec.ts'
import { schemaCodec } from '../../knowledge/schema/export-codec.ts'
import { changeCodec } from '../commit/export-codec.ts'
import type { Counts } from './types.ts'

/**
 * The contents of an export, in the order of its lines: a record precedes the statements about it, so that readers of an imported
 * Brain learn of it first.
 */
export const codecs: readonly ExportCodec[] = [
  schemaCodec,
  changeCodec,
  ...contentKinds.map(({ exportCodec }) => exportCodec),
  dateCodec,
]

/** The numbers of lines of each sort, as in the trailer. */
export const noCounts = (): Counts => ({ schemas: 0, changes: 0, records: 0, statements: 0, documents: 0, dates: 0 })

export const countName = (name: ExportCodec['name']): keyof Counts => `${name}s`
