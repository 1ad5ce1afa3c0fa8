import { createGathering, type Expected, type Imported, isRecord, toTexts } from './imported.ts'

// Reads evals of OpenAI: rows as JSON lines, of the hosted Evals (`{ "item": { … } }`) or the open-source ones (`{ "input", "ideal" }`),
// or an exported eval with its rows and testing criteria.

type Row = Record<string, unknown>
type Gathering = ReturnType<typeof createGathering>

const inputNames = ['input', 'question', 'prompt', 'query']
const answerNames = [
  'ideal',
  'expected',
  'expected_output',
  'answer',
  'reference',
  'reference_answer',
  'ground_truth',
  'correct_label',
  'label',
]

const findFirst = (row: Row, names: readonly string[]): unknown =>
  row[names.find((name) => row[name] !== undefined) ?? '']

/** The text of an input: itself, or the last message of a person. */
const toInput = (value: unknown): string | undefined => {
  if (typeof value === 'string') return value === '' ? undefined : value
  if (!Array.isArray(value)) return undefined
  const said = value.findLast((message) => isRecord(message) && message.role === 'user')
  return isRecord(said) && typeof said.content === 'string' ? said.content : undefined
}

const types: Record<string, 'equals' | 'contains' | 'not_contains'> = {
  eq: 'equals',
  like: 'contains',
  ilike: 'contains',
  ne: 'not_contains',
}

/** The sort of grader of the criteria of an export. Without criteria, answers are compared as a whole. */
const addGraders = (gathering: Gathering, criteria: unknown): void => {
  const list = Array.isArray(criteria) ? criteria.filter(isRecord) : []
  for (const [index, { type, operation }] of list.entries()) {
    const sort = type === 'string_check' ? types[String(operation)] : undefined
    if (sort) gathering.grade({ type: sort, ignoreCase: operation === 'ilike' })
    else gathering.report(`testing_criteria[${index}]`, `${String(type)} has no counterpart`)
  }
  if (gathering.imported.graders.length === 0) gathering.grade({ type: 'equals', ignoreCase: false })
}

const toExpected = (texts: readonly string[], hasDenial: boolean): Expected | undefined => {
  const [answer, ...others] = texts
  if (answer === undefined || others.length > 0) return undefined
  return hasDenial ? { notContains: [answer] } : { answer }
}

const addRows = (gathering: Gathering, rows: readonly unknown[]): void => {
  const hasDenial = gathering.imported.graders.every(({ type }) => type === 'not_contains')
  for (const [index, given] of rows.entries()) {
    const place = `row ${index + 1}`
    const row = isRecord(given) && isRecord(given.item) ? given.item : given
    if (!isRecord(row)) {
      gathering.report(place, 'it is no JSON object')
      continue
    }
    const input = toInput(findFirst(row, inputNames))
    const expected = toExpected(toTexts(findFirst(row, answerNames)), hasDenial)
    if (input === undefined)
      gathering.report(place, 'it has no input that is a text or ends with a message of a person')
    else if (!expected) gathering.report(place, 'it has no single expected answer')
    else gathering.add(row.id, index + 1, { input, expected })
  }
}

const findRows = (file: Row): unknown[] | undefined => {
  const source = isRecord(file.data_source) && isRecord(file.data_source.source) ? file.data_source.source : file
  const rows = source.content ?? file.rows ?? file.data ?? file.items
  return Array.isArray(rows) ? rows : undefined
}

/** Reads an exported eval, or rows. */
export const fromOpenAi = (parsed: unknown): Imported => {
  const gathering = createGathering()
  if (isRecord(parsed)) {
    if (typeof parsed.name === 'string') gathering.imported.name = parsed.name
    addGraders(gathering, parsed.testing_criteria)
    const rows = findRows(parsed)
    if (rows) addRows(gathering, rows)
    else gathering.report('the file', 'it has no rows')
    return gathering.imported
  }
  addGraders(gathering, undefined)
  addRows(gathering, Array.isArray(parsed) ? parsed : [])
  return gathering.imported
}
