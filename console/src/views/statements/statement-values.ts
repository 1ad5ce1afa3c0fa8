import type { BodyInput } from '@noema/contracts/endpoint.ts'
import type { assertStatement } from '@noema/contracts/statements.ts'
import { FieldProblem } from '../../components/form/problems.ts'

type RecordRef = { id: string; kind: string }

/** The values of the form for a statement. */
export type StatementValues = {
  subject: RecordRef | undefined
  predicate: string
  objectType: 'record' | 'value'
  object: RecordRef | undefined
  value: string
  validFrom: string
  validTo: string
  confidence: string
  document: string
  quote: string
}

export const emptyStatement = (subject: RecordRef | undefined, predicate: string): StatementValues => ({
  ...{ subject, predicate, objectType: 'record', object: undefined, value: '' },
  ...{ validFrom: '', validTo: '', confidence: '', document: '', quote: '' },
})

type Body = BodyInput<typeof assertStatement>

/** Reads a typed value: JSON, such as a number, or else the text itself. */
const readValue = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

const toObject = ({ objectType, object, value }: StatementValues): Body['object'] => {
  if (objectType === 'record') {
    if (!object) throw new FieldProblem('object', 'Choose the record.')
    return { record: object }
  }
  if (value.trim() === '') throw new FieldProblem('value', 'Write the value.')
  return { value: readValue(value.trim()) } as Body['object']
}

const toTime = (day: string): string => `${day}T00:00:00.000Z`

/** The statement that the values say. */
export const toStatement = (values: StatementValues): Body => {
  const { subject, predicate, validFrom, validTo, confidence, document, quote } = values
  if (!subject) throw new FieldProblem('subject', 'Choose the record that the statement is about.')
  if (document === '' && quote.trim() !== '') throw new FieldProblem('document', 'Choose the document that is quoted.')
  return {
    ...{ subject, predicate: predicate.trim(), object: toObject(values) },
    ...(validFrom !== '' && { validFrom: toTime(validFrom) }),
    ...(validTo !== '' && { validTo: toTime(validTo) }),
    ...(confidence !== '' && { confidence: Number(confidence) / 100 }),
    ...(document !== '' && { sources: [{ document, ...(quote.trim() !== '' && { quote: quote.trim() }) }] }),
  }
}
