import { dateSection } from '../../brain/dates/export-codec.ts'
import { documentSection } from '../../brain/documents/export-codec.ts'
import { recordSection } from '../../brain/records/export-codec.ts'
import { schemaSection } from '../../brain/schema/export-codec.ts'
import { statementSection } from '../../brain/statements/export-codec.ts'
import type { Section } from '../../brain/versioning/export-codec.ts'
import { changeSection } from '../commit/export-codec.ts'

/**
 * What an export holds, in the order of its lines: a record stands before the statements about it, so that readers of an
 * imported Brain learn of it first. A feature with content of its own joins by a section here.
 */
export const sections: readonly Section[] = [
  schemaSection,
  changeSection,
  recordSection,
  statementSection,
  documentSection,
  dateSection,
]

/** How many lines of each sort there are, as the trailer tells. */
export type Counts = Record<`${Section['name']}s`, number>

export const noCounts = (): Counts => ({ schemas: 0, changes: 0, records: 0, statements: 0, documents: 0, dates: 0 })

export const countName = (name: Section['name']): keyof Counts => `${name}s`
