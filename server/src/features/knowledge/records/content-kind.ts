import { isDeepStrictEqual } from 'node:util'
import type { Operation } from '@noema/contracts/batch.ts'
import type { BrainRecord } from '@noema/contracts/records.ts'
import { newId } from '../../../shared/ids.ts'
import type { Queryable } from '../../../storage/database.ts'
import { resolveContent, type ToId } from '../../kernel/content-parts/content-parts.ts'
import type { LoadBudget } from '../../kernel/versioning/load-budget.ts'
import type { Inverse, Need, Needs, OperationEffect, OperationOf, Reverted } from '../../kernel/versioning/types.ts'
import {
  patchStillFits,
  recordContentKeys,
  recordParts,
  restoreRecord,
  sendRecord,
} from '../record-parts/record-parts.ts'
import { loadHolders } from '../schema/write-set.ts'
import { applyRecordOperation, type RecordWrites, slugKey, toKey } from './apply.ts'
import { recordCodec } from './export-codec.ts'
import { type RecordVersion, recordTable, selectSlugOwners } from './record-queries.ts'

type RecordOperation = OperationOf<'record'>

const resolveRecord = (
  operation: Extract<Operation, { op: `record.${string}` }>,
  toId: ToId,
  now: Date,
): RecordOperation => {
  const id = operation.op === 'record.create' ? newId('rec', now) : toId(operation.id)
  return { ...resolveContent(recordParts, operation, toId), id }
}

/** The records that an operation links to. */
const listTargets = (operation: RecordOperation): string[] =>
  'links' in operation ? (operation.links ?? []).flatMap(({ to }) => to ?? []) : []

const needRecord = (operation: RecordOperation, needs: Needs, { schema }: RecordWrites): void => {
  const { ids, keys } = needs.record
  if (operation.op !== 'record.create') ids.add(operation.id)
  // A deletion also retracts the statements about the record.
  if ('mergedInto' in operation && operation.mergedInto) ids.add(operation.mergedInto)
  if (operation.op === 'record.delete') needs.statement.about.add(operation.id)
  else if (operation.slug) keys.add(operation.slug)
  for (const to of listTargets(operation)) (schema.schema.checksTargets ? ids : needs.record.referred).add(to)
}

/** Finds records whose kind will change: their slug and fields move into a kind where other records may have the same ones. */
const findRetyped = ({ record }: RecordWrites, operations: readonly RecordOperation[]): BrainRecord[] =>
  operations.flatMap((operation) =>
    operation.op === 'record.patch' && operation.kind ? (record.current(operation.id)?.content ?? []) : [],
  )

/**
 * True if no record is written twice: an index sees only the last version of a commit, and not a key that an earlier one took.
 */
const writesEachOnce = (operations: readonly RecordOperation[]): boolean =>
  new Set(operations.map(({ id }) => id)).size === operations.length

const loadRecords = async (
  db: Queryable,
  brainId: number,
  writes: RecordWrites,
  {
    ids,
    keys,
    referred,
    operations,
    leavesKeysToIndexes,
    budget,
  }: Need & { operations: readonly RecordOperation[]; leavesKeysToIndexes: boolean; budget: LoadBudget },
): Promise<void> => {
  const { record, schema } = writes
  if (ids.size > 0)
    for (const version of await recordTable.selectNewest(db, brainId, [...ids], budget))
      record.add(version, toKey(version.content))
  const others = [...referred].filter((id) => !ids.has(id))
  if (others.length > 0) record.addLive((await recordTable.selectLiveNumbers(db, brainId, others)).keys())
  const retyped = findRetyped(writes, operations)
  const slugs = new Set([...keys, ...retyped.flatMap(({ slug }) => slug ?? [])])
  if (slugs.size > 0 && leavesKeysToIndexes && writesEachOnce(operations)) writes.hasUnreadSlugs = true
  else if (slugs.size > 0)
    for (const held of await selectSlugOwners(db, brainId, [...slugs]))
      record.addHolder(slugKey(held.kind, held.slug), held.id)
  const contents = operations.flatMap((operation) => ('fields' in operation ? operation : []))
  if (schema.hasUniqueFields) await loadHolders(db, brainId, schema, [...retyped, ...contents])
}

/** True if a record is as a change left it, also if others wrote to it since and were reverted. */
const isAsLeft = (now: RecordVersion, left: RecordVersion | undefined): boolean =>
  left !== undefined && isDeepStrictEqual(sendRecord(now.content), sendRecord(left.content))

/** A record is put back whole, or where others wrote to it since, in the parts that the change wrote. */
const invertRecord = ({ id, made, base, left, newest, refuse }: Reverted<RecordVersion>): Inverse => {
  const now = newest?.toState === null ? newest : undefined
  const ifMatch = now ? { ifMatch: now.version } : {}
  if (!base) {
    if (now && now.version !== made && !isAsLeft(now, left)) return refuse()
    return now ? { writes: [{ op: 'record.delete', id, ...ifMatch }] } : {}
  }
  // A merge patch cannot replace one object by another exactly, so the whole record is sent.
  const restored =
    now && now.version !== made
      ? restoreRecord(base.content, (left ?? refuse()).content, now.content, refuse)
      : base.content
  const undoesMerge = !now && newest?.survivor ? { undoesMerge: newest.survivor } : {}
  return { writes: [{ op: 'record.put', id, ...sendRecord(restored), ...ifMatch, ...undoesMerge }] }
}

/** Records as a kind of content. */
export const records = {
  type: 'record',
  table: recordTable,
  contentKeys: recordContentKeys,
  operations: {
    'record.create': 'adds',
    'record.put': 'writes',
    'record.patch': 'patches',
    'record.delete': 'ends',
  } as const satisfies Record<RecordOperation['op'], OperationEffect>,
  exportCodec: recordCodec,
  liveKey: ({ content }: RecordVersion) => toKey(content),
  resolve: resolveRecord,
  need: needRecord,
  load: loadRecords,
  apply: applyRecordOperation,
  references: listTargets,
  detail: ({ content }: RecordVersion) => content,
  stillFits: (operation: RecordOperation, then: BrainRecord, now: BrainRecord) =>
    operation.op === 'record.patch' && patchStillFits(operation, then, now),
  invert: invertRecord,
} as const
