import type { BrainRecord } from '@noema/contracts/records.ts'

// Formats records and their values as one line.

/** A value in a cell: one line of text. */
export const toCellText = (value: unknown): string => {
  if (value === undefined || value === null) return ''
  if (typeof value === 'string') return value
  if (Array.isArray(value) && value.every((item) => typeof item !== 'object')) return value.join(', ')
  return JSON.stringify(value)
}

/** The fields that name a record, most important first. */
export const namingFields: readonly string[] = ['name', 'title', 'label', 'subject', 'summary']

/** True if a field names its record. */
export const isNaming = (field: string): boolean => namingFields.includes(field)

/** The name of a record: a naming field, or else its slug, or else its id. */
export const toRecordName = ({ id, slug, fields }: Pick<BrainRecord, 'id' | 'slug' | 'fields'>): string => {
  const name = namingFields
    .map((field) => fields[field])
    .find((value) => typeof value === 'string' && value.trim() !== '')
  return typeof name === 'string' ? name : (slug ?? id)
}
