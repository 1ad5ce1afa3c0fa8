import { defineSearch, readList, readNumber, readText, readWord } from '../validate-search.ts'

/** The state of the list of records in its URL. `where` is the JSON of a query; the view parses it. */
export const readRecordsSearch = defineSearch({
  q: readText,
  kind: readText,
  slug: readText,
  linksTo: readText,
  predicate: readText,
  where: readText,
  asOf: readNumber,
  order: (value) => readWord(value, ['asc', 'desc'] as const),
  /** The field by which the list is sorted; without it, the id. */
  sort: readText,
  columns: readList,
  record: readText,
})

export type RecordsSearch = ReturnType<typeof readRecordsSearch>

/** The open tab of a record's page. */
export const readRecordTab = (value: unknown) => readWord(value, ['history', 'graph', 'reads', 'json'] as const)

/** The open tab of a document's page. */
export const readDocumentTab = (value: unknown) =>
  readWord(value, ['text', 'source', 'file', 'versions', 'usage', 'json'] as const)

/** The shown part of a plan. */
export const readPlanOp = (value: unknown) =>
  readWord(value, ['add', 'update', 'retire', 'unchanged', 'conflict'] as const)
