import type { BrainRecord } from '@noema/contracts/records.ts'
import type { FieldType, SchemaKind } from '@noema/contracts/schema-kinds.ts'
import { isNaming } from '../../data/record-text.ts'

// The columns of a table of records: the declared fields of its kind, then undeclared ones.

/** A field as a column. `isDeclared`: the schema has it, so its type is known. */
export type FieldColumn = { name: string; type: FieldType | undefined; isDeclared: boolean; isNumber: boolean }

/** The number of fields that are shown by default. */
const maxAtFirst = 5

/** The number of records that are searched for undeclared fields. */
const maxExamined = 200

/** The available fields of a kind's records: declared ones, then others in their order of appearance. */
export const listFieldColumns = (kind: SchemaKind | undefined, records: readonly BrainRecord[]): FieldColumn[] => {
  const declared = (kind?.fields ?? []).map(({ name, type, many }) => ({
    name,
    type,
    isDeclared: true,
    isNumber: !many && (type === 'integer' || type === 'number'),
  }))
  const names = new Set(declared.map(({ name }) => name))
  const found = new Map<string, boolean>()
  for (const { fields } of records.slice(0, maxExamined))
    for (const [name, value] of Object.entries(fields))
      if (!names.has(name)) found.set(name, (found.get(name) ?? true) && typeof value === 'number')
  const others = [...found].map(([name, isNumber]) => ({ name, type: undefined, isDeclared: false, isNumber }))
  return [...declared, ...others]
}

const prose = (column: FieldColumn): boolean => column.type === 'text' || column.type === 'json'

/** The shown columns: the chosen ones, or else the first few, with long texts last and without the name of the record. */
export const chooseColumns = (
  columns: readonly FieldColumn[],
  chosen: readonly string[] | undefined,
): FieldColumn[] => {
  if (chosen !== undefined) return chosen.flatMap((name) => columns.find((column) => column.name === name) ?? [])
  const others = columns.filter(({ name }) => !isNaming(name))
  const shortFirst = [...others.filter((column) => !prose(column)), ...others.filter(prose)]
  return shortFirst.slice(0, maxAtFirst)
}
