import type { OperationResult } from '@noema/contracts/batch.ts'
import type { NewEvent } from '@noema/contracts/events.ts'
import { ApiError, conflict } from '../../../shared/errors.ts'
import type { Queryable } from '../../../storage/database.ts'
import type { LoadBudget } from '../../kernel/versioning/load-budget.ts'
import type { RowChanges } from '../../kernel/versioning/pending-rows.ts'
import type { Applying, Need, ResolvedOperation } from '../../kernel/versioning/types.ts'
import { type ContentWrites, contentKinds, kindByOperation } from '../../knowledge/content/content.ts'
import { followDates } from '../../knowledge/dates/write-set.ts'
import { followLinks } from '../../knowledge/records/link-rows-queries.ts'
import { followStructure } from '../../knowledge/schema/emerged.ts'
import { followIndexes, schemaStatements } from '../../knowledge/schema/write-set.ts'
import type { Target } from './change-store.ts'

/** The effect of one operation: its result, the item as answers show it, and the change that last wrote it. */
export type Applied = {
  result: OperationResult
  target: Target
  /** The version that the operation found, and the one that it made; null where there was or is none. */
  base: number | null
  made: number | null
  view: object
  created: boolean
  /** The bytes of the version that it made; undefined if it made none. */
  size: number | undefined
  madeBy: { change: string; stateVersion: number }
}

const nothing = (): Need => ({ ids: new Set(), keys: new Set(), about: new Set(), referred: new Set() })

/** Reads the content that these operations need, in one or two statements for each kind of content that they touch. */
export const loadContent = async (
  db: Queryable,
  writes: ContentWrites,
  operations: readonly ResolvedOperation[],
  { brainId, ...how }: { brainId: number; leavesKeysToIndexes: boolean; budget: LoadBudget },
): Promise<void> => {
  const needs = { record: nothing(), statement: nothing(), document: nothing() }
  for (const operation of operations) {
    const kind = kindByOperation.get(operation.op)
    kind?.need(operation, needs, writes)
    if (kind && kind.references(operation).length > 0) writes.hasReferences = true
  }
  for (const kind of contentKinds) {
    const need = needs[kind.type]
    const own = operations.filter(({ op }) => op in kind.operations)
    const isNeeded = own.length + need.ids.size + need.keys.size + need.about.size + need.referred.size > 0
    if (isNeeded) await kind.load(db, brainId, writes, { ...need, operations: own, ...how })
  }
}

/** The records that operations refer to and that do not exist once they are applied. */
export const findMissing = ({ record }: ContentWrites, operations: readonly ResolvedOperation[]): string[] => {
  const referred = operations.flatMap((operation) => kindByOperation.get(operation.op)?.references(operation) ?? [])
  return [...new Set(referred)].filter((id) => !record.isLive(id))
}

/** All rows that a commit batch writes: content, the schema, and the indexes and dates that follow from the records. */
export function* listChanges({
  record,
  statement,
  document,
  schema: writes,
}: ContentWrites): Generator<void, RowChanges[]> {
  const { schema, evolved } = writes
  const { moves } = record
  const changes: RowChanges[] = [record, statement, document].flatMap((kind) => kind.changes() ?? [])
  if (moves.some(({ before, after }) => before?.links.length || after?.links.length)) changes.push(followLinks(record))
  if (moves.length > 0) changes.push(yield* followStructure(writes, moves))
  if (moves.length > 0 && schema.hasIndexes) changes.push(followIndexes(schema, moves))
  if (moves.length > 0 && schema.emitsDates) changes.push(followDates(writes, moves))
  return evolved ? [...changes, { statements: schemaStatements, made: [evolved], ended: [] }] : changes
}

type Step = Applied & { events: NewEvent[] }

const applyOne = (writes: ContentWrites, operation: ResolvedOperation, applying: Applying): Step => {
  const { op } = operation
  const kind = kindByOperation.get(op)
  if (!kind) throw conflict(`This service knows no operation ${JSON.stringify(op)}: it came with an import.`)
  const isEnd = kind.operations[op] === 'ends'
  const { base, version, events, created, ...shown } = kind.apply(writes, operation, applying)
  const { id, content, endedChange, fromState, toState, size } = version
  const changed = events.length > 0
  const address = { id, ...shown.address }
  const along =
    isEnd && changed && kind.type === 'record'
      ? contentKinds.flatMap((other) => other.endAbout?.(writes, id, applying) ?? [])
      : []
  return {
    result: { op, id, ...(isEnd ? {} : { version: version.version }), changed },
    target: { type: kind.type, ...address },
    base,
    made: isEnd ? null : version.version,
    view: isEnd ? address : shown.view,
    created,
    size: isEnd ? undefined : size,
    madeBy: { change: endedChange ?? content.provenance.change, stateVersion: toState ?? fromState },
    events: [...along, ...events],
  }
}

/** Adds the index of the refused operation of a batch to its error. */
const atOperation = (index: number, error: unknown): unknown => {
  if (!(error instanceof ApiError)) return error
  const place = ['operations', index]
  const inside = (error.details ?? []).map((detail) => ({ ...detail, path: [...place, ...detail.path] }))
  const details = [{ path: place, message: error.message, index }, ...inside]
  return new ApiError(error.kind, `Operation ${index}: ${error.message}`, {
    ...(error.code === undefined ? {} : { code: error.code }),
    details,
  })
}

/** Applies a change's operations in order. Throws if one is refused; the caller then rolls back. */
export const applyOperations = (
  writes: ContentWrites,
  { operations, isBatch }: { operations: readonly ResolvedOperation[]; isBatch: boolean },
  applying: Applying,
): { applied: Applied[]; events: NewEvent[] } => {
  const all: NewEvent[] = []
  const applied = operations.map((operation, index) => {
    try {
      const { events, ...step } = applyOne(writes, operation, applying)
      all.push(...events)
      const ref = 'ref' in operation && operation.ref !== undefined ? { ref: operation.ref } : {}
      return { ...step, result: { ...step.result, ...ref } }
    } catch (error) {
      throw isBatch ? atOperation(index, error) : error
    }
  })
  return { applied, events: all }
}
