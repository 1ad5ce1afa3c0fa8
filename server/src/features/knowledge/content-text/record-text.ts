import type { BrainRecord } from '@noema/contracts/records.ts'
import { listSearched, listShown, type RecordContent } from '../record-parts/record-parts.ts'

// The text form of a record. The indexing thread loads only this, off the main thread.

/** The fields that name a record, most important first: a person's title is not their name. */
export const nameFields = ['name', 'title', 'label', 'subject', 'summary']

const maxTitleLength = 200

/** Returns a record's name for people: the field that names it, its slug, or its id. */
export const recordTitle = ({ id, slug, fields }: Pick<BrainRecord, 'id' | 'slug' | 'fields'>): string => {
  const named = nameFields.map((name) => fields[name]).find((value) => typeof value === 'string' && value.trim() !== '')
  return typeof named === 'string' ? named.slice(0, maxTitleLength).toWellFormed() : (slug ?? id)
}

/** The text that search finds a record by. */
const searchRecord = (record: BrainRecord): string => {
  const heading = [recordTitle(record), record.kind, record.slug].filter((part) => part !== null).join(' · ')
  return [heading, ...listSearched(record)].join('\n')
}

/** The text that a context shows of a record. */
export const showRecord = (record: RecordContent): string => listShown(record).join('\n')

type FoundRecord = { type: 'record'; record: BrainRecord }

export const recordText = {
  toFound: (record: BrainRecord): FoundRecord => ({ type: 'record', record }),
  searchText: ({ record }: FoundRecord) => searchRecord(record),
  title: ({ record }: FoundRecord) => recordTitle(record),
  heading: () => '',
  prefix: () => '',
  kind: ({ record }: FoundRecord) => record.kind,
}
