import { dateCodec } from '../../brain/dates/export-codec.ts'
import { documentCodec } from '../../brain/documents/export-codec.ts'
import { recordCodec } from '../../brain/records/export-codec.ts'
import { schemaCodec } from '../../brain/schema/export-codec.ts'
import { statementCodec } from '../../brain/statements/export-codec.ts'
import type { ExportCodec } from '../../brain/versioning/export-codec.ts'
import { changeCodec } from '../commit/export-codec.ts'
import type { Counts } from './types.ts'

/**
 * What an export holds, in the order of its lines: a record stands before the statements about it, so that readers of an
 * imported Brain learn of it first. A feature with content of its own joins by a codec here.
 */
export const codecs: readonly ExportCodec[] = [
  schemaCodec,
  changeCodec,
  recordCodec,
  statementCodec,
  documentCodec,
  dateCodec,
]

/** How many lines of each sort there are, as the trailer tells. */
export const noCounts = (): Counts => ({ schemas: 0, changes: 0, records: 0, statements: 0, documents: 0, dates: 0 })

export const countName = (name: ExportCodec['name']): keyof Counts => `${name}s`
