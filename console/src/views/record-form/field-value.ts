import type { BrainRecord } from '@noema/contracts/records.ts'
import type { FieldType, SchemaField } from '@noema/contracts/schema-kinds.ts'

// Converts between the value of a field and the text of its input.

type Value = BrainRecord['fields'][string]

/** The parts of a field that determine its input. An undeclared field uses the type of its value. */
export type TypedField = Pick<SchemaField, 'name' | 'type' | 'many' | 'values' | 'required' | 'description'>

const guessType = (value: Value | undefined): FieldType => {
  if (typeof value === 'number') return 'number'
  if (typeof value === 'boolean') return 'boolean'
  if (typeof value === 'object' && value !== null) return 'json'
  return typeof value === 'string' && (value.length > 80 || value.includes('\n')) ? 'text' : 'string'
}

/** An undeclared field, with the type of its value. */
export const toUndeclaredField = (name: string, value: Value | undefined): TypedField => ({
  ...{ name, type: guessType(value), many: false, values: undefined, required: false, description: '' },
})

/** The text of a value in its input. A list has a value on each line. A value of another type is shown as JSON. */
export const toInputText = ({ type, many }: TypedField, value: Value | undefined): string => {
  if (value === undefined || value === null) return ''
  if (many && type !== 'json' && Array.isArray(value) && value.every((one) => typeof one !== 'object'))
    return value.map(String).join('\n')
  return typeof value === 'object' || type === 'json' ? JSON.stringify(value, null, 2) : String(value)
}

export type Read = { value: Value } | { error: string }

const readJson = (text: string): Read => {
  try {
    return { value: JSON.parse(text) as Value }
  } catch {
    return { error: 'This is not JSON. Put text in double quotes.' }
  }
}

const readOne = (type: FieldType, text: string): Read => {
  if (type === 'json') return readJson(text)
  if (type === 'boolean') return { value: text === 'true' }
  if (type !== 'integer' && type !== 'number') return { value: text }
  const number = Number(text)
  if (text.trim() === '' || !Number.isFinite(number)) return { error: `${text} is not a number.` }
  return type === 'integer' && !Number.isInteger(number)
    ? { error: `${text} is not a whole number.` }
    : { value: number }
}

/** The value of a text in an input; null for an empty one. The service checks the rest. */
export const readInput = ({ type, many }: TypedField, text: string): Read => {
  if (text.trim() === '') return { value: null }
  if (!many || type === 'json') return readOne(type, text)
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  const read = lines.map((line) => readOne(type, line.trim()))
  const failed = read.find((one) => 'error' in one)
  return failed ?? { value: read.flatMap((one) => ('value' in one ? [one.value] : [])) }
}

/** True if the input of a field has several lines. */
export const isLong = ({ type, many }: TypedField): boolean => many || type === 'text' || type === 'json'
