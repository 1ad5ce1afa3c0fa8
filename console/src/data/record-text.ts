import type { BrainRecord } from '@noema/contracts/records.ts'

// How records and their values read in a line.

/** A value in a cell: one line of text. */
export const toCellText = (value: BrainRecord['fields'][string] | undefined): string => {
  if (value === undefined || value === null) return ''
  if (typeof value === 'string') return value
  if (Array.isArray(value) && value.every((item) => typeof item !== 'object')) return value.join(', ')
  return JSON.stringify(value)
}

/** The fields that say what a record is called, the first of them first. */
export const namingFields: readonly string[] = ['name', 'title', 'label', 'subject', 'summary']

/** Whether a field says what its record is called. */
export const isNaming = (field: string): boolean => namingFields.includes(field)

/** What a record is called: by a field that names it, or else its slug, or else its id. */
export const toRecordName = ({ id, slug, fields }: Pick<BrainRecord, 'id' | 'slug' | 'fields'>): string => {
  const name = namingFields
    .map((field) => fields[field])
    .find((value) => typeof value === 'string' && value.trim() !== '')
  return typeof name === 'string' ? name : (slug ?? id)
}
