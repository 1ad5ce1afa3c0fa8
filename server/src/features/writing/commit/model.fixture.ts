import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'

// A second, as plain as possible implementation of a Brain: whole states, one after the other.

type Json = string | number | boolean | null | Json[] | { [name: string]: Json }
type Fields = Record<string, Json>
export type ModelRecord = { id: string; kind: string; slug: string | null; fields: Fields; version: number }
export type ModelStatement = { id: string; subject: string; value: Json; retracted: boolean } & ModelDetails & {
    version: number
  }
/** The details that may differ when a statement is repeated. */
type ModelDetails = { confidence: number | null; validTo: string | null; sources: { document: string }[] }
export type ModelDocument = { id: string; text: string; version: number }
export type State = {
  records: Record<string, ModelRecord>
  statements: Record<string, ModelStatement>
  documents: Record<string, ModelDocument>
  /** The newest version number that each record and document ever had. */
  newest: Record<string, number>
}
export type ModelEvent = { type: string; id: string; operation?: string; retypedFrom?: string; version?: number }

/** An operation as a batch takes it; ids are always given, so that the model knows them. */
export type ModelOperation =
  | { op: 'record.put'; id: string; kind: string; slug?: string; fields: Fields; ifMatch?: number }
  | { op: 'record.patch'; id: string; kind?: string; slug?: string | null; fields: Fields; ifMatch?: number }
  | { op: 'record.delete'; id: string; ifMatch?: number }
  | ({
      op: 'statement.assert'
      id: string
      subject: { id: string; kind: string }
      predicate: 'p'
      object: { value: Json }
    } & Partial<ModelDetails>)
  | { op: 'statement.retract'; id: string }
  | { op: 'document.put'; id?: string; text: string; ifMatch?: number }
  | { op: 'document.retire'; id: string; ifMatch?: number }

/** A refusal, by its status. */
export class Refused extends Error {
  readonly status: number
  constructor(status: number) {
    super(`refused with ${status}`)
    this.status = status
  }
}

export const emptyState = (): State => ({ records: {}, statements: {}, documents: {}, newest: {} })

const checkMatch = (ifMatch: number | undefined, current: { version: number } | undefined) => {
  if (ifMatch !== undefined && ifMatch !== current?.version) throw new Refused(409)
}

const writeRecord = (state: State, next: Omit<ModelRecord, 'version'>): ModelEvent[] => {
  const before = state.records[next.id]
  if (before && isDeepStrictEqual({ ...before, version: 0 }, { ...next, version: 0 })) return []
  const holds = (other: ModelRecord) => other.id !== next.id && other.kind === next.kind && other.slug === next.slug
  if (next.slug !== null && Object.values(state.records).some(holds)) throw new Refused(409)
  const version = (state.newest[`record ${next.id}`] ?? 0) + 1
  state.newest[`record ${next.id}`] = version
  state.records[next.id] = { ...next, version }
  const retyped = before && before.kind !== next.kind ? { retypedFrom: before.kind } : {}
  return [{ type: 'record.accepted', id: next.id, operation: before ? 'updated' : 'created', ...retyped }]
}

const deleteRecord = (state: State, id: string, ifMatch: number | undefined): ModelEvent[] => {
  const current = state.records[id]
  if (!current && state.newest[`record ${id}`] !== undefined) return []
  if (!current) throw new Refused(404)
  checkMatch(ifMatch, current)
  delete state.records[id]
  const about = Object.values(state.statements).filter(({ subject, retracted }) => subject === id && !retracted)
  for (const statement of about) state.statements[statement.id] = { ...statement, retracted: true }
  return [
    ...about.map((statement) => ({ type: 'statement.retracted', id: statement.id })),
    { type: 'record.deleted', id },
  ]
}

/**
 * Ids that a batch gave to statements which were there under other ids already. To the rest of the batch, each stands for the
 * statement that is there.
 */
type Twins = Map<string, string>

/** Omitted details stay as before. */
const readDetails = (given: Partial<ModelDetails>, before: ModelDetails): ModelDetails => ({
  confidence: given.confidence === undefined ? before.confidence : given.confidence,
  validTo: given.validTo === undefined ? before.validTo : given.validTo,
  sources: given.sources ?? before.sources,
})

const assertStatement = (
  state: State,
  given: Extract<ModelOperation, { op: 'statement.assert' }>,
  twins: Twins,
): ModelEvent[] => {
  const { id, subject, object } = given
  if (state.records[subject.id]?.kind !== subject.kind) throw new Refused(409)
  const says = (other: ModelStatement) =>
    !other.retracted && other.subject === subject.id && isDeepStrictEqual(other.value, object.value)
  const twin = Object.values(state.statements).find(says)
  if (twin) {
    if (!state.statements[id]) twins.set(id, twin.id)
    const next = { ...twin, ...readDetails(given, twin) }
    if (isDeepStrictEqual(next, twin)) return []
    state.statements[twin.id] = { ...next, version: twin.version + 1 }
    return [{ type: 'statement.asserted', id: twin.id }]
  }
  if (state.statements[twins.get(id) ?? id]) throw new Refused(409)
  const details = readDetails(given, { confidence: null, validTo: null, sources: [] })
  state.statements[id] = { id, subject: subject.id, value: object.value, retracted: false, ...details, version: 1 }
  return [{ type: 'statement.asserted', id }]
}

const putDocument = (state: State, given: Extract<ModelOperation, { op: 'document.put' }>): ModelEvent[] => {
  const id = given.id ?? `sha256:${createHash('sha256').update(given.text).digest('hex')}`
  const current = state.documents[id]
  checkMatch(given.ifMatch, current)
  if (current?.text === given.text) return []
  const version = (state.newest[`document ${id}`] ?? 0) + 1
  state.newest[`document ${id}`] = version
  state.documents[id] = { id, text: given.text, version }
  return [{ type: 'document.served', id, version }]
}

const patchRecord = (state: State, given: Extract<ModelOperation, { op: 'record.patch' }>): ModelEvent[] => {
  const current = state.records[given.id]
  if (!current) throw new Refused(404)
  checkMatch(given.ifMatch, current)
  const fields = Object.fromEntries(
    Object.entries({ ...current.fields, ...given.fields }).filter(([, value]) => value !== null),
  )
  const slug = given.slug === undefined ? current.slug : given.slug
  return writeRecord(state, { id: given.id, kind: given.kind ?? current.kind, slug, fields })
}

/** Does one operation to a state, in place, and tells its events. */
const apply = (state: State, given: ModelOperation, twins: Twins): ModelEvent[] => {
  switch (given.op) {
    case 'record.put':
      checkMatch(given.ifMatch, state.records[given.id])
      return writeRecord(state, { id: given.id, kind: given.kind, slug: given.slug ?? null, fields: given.fields })
    case 'record.patch':
      return patchRecord(state, given)
    case 'record.delete':
      return deleteRecord(state, given.id, given.ifMatch)
    case 'statement.assert':
      return assertStatement(state, given, twins)
    case 'statement.retract': {
      const current = state.statements[twins.get(given.id) ?? given.id]
      if (!current) throw new Refused(404)
      if (current.retracted) return []
      state.statements[current.id] = { ...current, retracted: true }
      return [{ type: 'statement.retracted', id: current.id }]
    }
    case 'document.put':
      return putDocument(state, given)
    case 'document.retire': {
      const current = state.documents[given.id]
      if (!current && state.newest[`document ${given.id}`] === undefined) throw new Refused(404)
      if (!current) return []
      checkMatch(given.ifMatch, current)
      delete state.documents[given.id]
      return [{ type: 'document.retired', id: given.id }]
    }
  }
}

/** The state after all operations, or Refused by the first that is refused, with the state as it was. */
export const applyAll = (
  state: State,
  operations: readonly ModelOperation[],
): { next: State; events: ModelEvent[] } => {
  const next = structuredClone(state)
  const twins: Twins = new Map()
  const events = operations.flatMap((operation) => apply(next, operation, twins))
  return { next, events }
}
