import type { Operation } from '@noema/contracts/batch.ts'
import type { BodyOutput } from '@noema/contracts/endpoint.ts'
import type { mergeRecord } from '@noema/contracts/records.ts'
import { ApiError, conflict, invalidArgument, MovesToWorker, notFound, validation } from '../../../shared/errors.ts'
import type { Db } from '../../../storage/database.ts'
import type { BrainRow } from '../../kernel/brains/brain-queries.ts'
import {
  isTooMuchContent,
  type LoadBudget,
  maxLoadedBytes,
  maxMovableBytes,
} from '../../kernel/versioning/load-budget.ts'
import { checkVersion } from '../../kernel/versioning/versioning.ts'
import { selectLinking } from '../../knowledge/records/link-queries.ts'
import { type RecordVersion, recordTable } from '../../knowledge/records/record-queries.ts'
import type { SchemaCache } from '../../knowledge/schema/schema-cache.ts'
import { selectLiveIdentities, selectTouching } from '../../knowledge/statements/statement-queries.ts'
import type { Write } from '../commit/commit.ts'
import type { Commits } from '../commit/commit-engine.ts'
import { type Keep, planLinks, planStatements, planSurvivor } from './plan-merge.ts'

// Merging two records that stand for the same thing. The plan is made from what the Brain has now, and every operation of it
// that writes a record expects the version that was read: two merges at once cannot both apply.

type Deps = { db: Db; schemas: SchemaCache; commitEngine: Commits }

/** The most operations of a merge, as of a batch. */
const maxOperations = 1_000

/** A state after all others: what is live now. */
const now = Number.MAX_SAFE_INTEGER

type Asked = {
  from: string
  into: string
  keep: Keep
  ifMatch: number | undefined
  /** True if the caller may say what is trusted. */
  mayTrust: boolean
}

const tooLarge = () =>
  validation(
    `This merge would move more than ${maxOperations} links and statements. Move some of them before, by batches.`,
    { code: 'too_much_content' },
  )

const findLive = (found: readonly RecordVersion[], id: string): RecordVersion => {
  const version = found.find((one) => one.id === id)
  if (version?.toState === null) return version
  if (!version?.survivor) throw notFound(`There is no record ${JSON.stringify(id)}.`)
  throw conflict(
    `The record ${JSON.stringify(id)} was merged into ${JSON.stringify(version.survivor)}. Merge that one instead.`,
    { code: 'record_merged' },
  )
}

/** Both records; without the merged one if it was merged into the other before. */
const readRecords = async ({ db }: Deps, brainId: number, { from, into }: Asked, budget: LoadBudget) => {
  const found = await recordTable.selectNewest(db, brainId, [from, into], budget)
  const before = found.find(({ id }) => id === from)
  if (before?.survivor === into && before.toState !== null) return { from: undefined, into: findLive(found, into) }
  const records = { from: findLive(found, from), into: findLive(found, into) }
  if (records.from.content.kind !== records.into.content.kind)
    throw conflict(
      `${JSON.stringify(from)} is a ${records.from.content.kind} and ${JSON.stringify(into)} a ${records.into.content.kind}. Change the kind of one first.`,
      { code: 'kinds_differ' },
    )
  return records
}

const planOperations = async (
  deps: Deps,
  { brainId, schemaVersion }: BrainRow,
  asked: Asked,
  budget: LoadBudget,
): Promise<Operation[]> => {
  const { db, schemas } = deps
  const { from, into, keep, ifMatch, mayTrust } = asked
  const records = await readRecords(deps, brainId, asked, budget)
  const version = records.from?.version
  if (ifMatch !== undefined && version !== undefined) checkVersion(`Record ${JSON.stringify(from)}`, ifMatch, version)
  const limit = maxOperations + 1
  const sources = await selectLinking(db, brainId, { ids: [from], predicate: undefined, asOf: now }, limit)
  const statements = await selectTouching(db, brainId, { record: from, limit, budget })
  if (sources.length + statements.length > maxOperations) throw tooLarge()
  const others = sources.filter((id) => id !== from && id !== into)
  const linking = await recordTable.selectNewest(db, brainId, others, budget)
  const { kind } = records.into.content
  const { byKind } = await schemas(db, brainId, schemaVersion)
  const moved = planStatements(statements, { from, into: { id: into, kind }, mayTrust })
  const held = await selectLiveIdentities(
    db,
    brainId,
    moved.asserted.map(({ identity }) => identity),
  )
  const operations = [
    ...planLinks(linking, from, into),
    // A repeat moves the links and statements that were made with the old id since.
    {
      op: 'record.delete',
      id: from,
      mergedInto: into,
      ...(version === undefined ? {} : { ifMatch: version }),
    } as const,
    ...(records.from ? planSurvivor(records.into, records.from, { keep, kind: byKind.get(kind) }) : []),
    ...moved.retracted,
    ...moved.asserted.flatMap(({ assertion, identity }) => (held.has(identity) ? [] : [assertion])),
  ]
  if (operations.length > maxOperations) throw tooLarge()
  return operations
}

/** The write that merges a record into another one, or why there is none. */
export const planMerge = async (
  deps: Deps,
  brain: BrainRow,
  { from, ifMatch, mayTrust }: { from: string; ifMatch: number | undefined; mayTrust: boolean },
  { into, keep = {}, reason }: BodyOutput<typeof mergeRecord>,
): Promise<Write> => {
  const { mayMove } = deps.commitEngine
  if (from === into) throw invalidArgument(['into'], 'A record cannot be merged into itself.')
  const asked = ['merge', from, into, keep, ifMatch ?? null, reason ?? null]
  const write = { isBatch: true, restores: true, reason, asked }
  const budget = { left: mayMove ? maxMovableBytes : maxLoadedBytes }
  try {
    return { ...write, operations: await planOperations(deps, brain, { from, into, keep, ifMatch, mayTrust }, budget) }
  } catch (error) {
    if (mayMove && isTooMuchContent(error)) throw new MovesToWorker()
    if (!(error instanceof ApiError)) throw error
    return { ...write, operations: [], refusal: error }
  }
}
