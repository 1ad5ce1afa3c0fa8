import { createHash } from 'node:crypto'
import { type BundleCounts, type BundleOp, bundleLimits, type importBundle } from '@noema/contracts/bundles.ts'
import type { BodyOutput } from '@noema/contracts/endpoint.ts'
import type { Clock } from '../../../shared/clock.ts'
import { ApiError, conflict, refuseAt } from '../../../shared/errors.ts'
import { newId } from '../../../shared/ids.ts'
import { canonicalJson } from '../../../shared/text/json.ts'
import { rollBack } from '../../../shared/undo.ts'
import type { Db, Tx } from '../../../storage/database.ts'
import type { BrainRow } from '../../kernel/brains/brain-queries.ts'
import { heldBrain } from '../../kernel/brains/brains.ts'
import type { ContentType, ResolvedOperation } from '../../kernel/versioning/types.ts'
import { contentKinds } from '../../knowledge/content/content.ts'
import { type StoredAnswer, toClaim } from '../../platform/idempotency/idempotency.ts'
import { applyChange, applyOrStage, type Submitter } from '../commit/apply-or-stage.ts'
import type { CommitBatch } from '../commit/commit-batch.ts'
import type { Commits } from '../commit/commit-engine.ts'
import { resolveOperations } from '../commit/resolve-operations.ts'
import type { Applied } from '../commit/write-set.ts'
import { findRefusedCredentials } from '../credentials/credentials.ts'
import { planKinds, proposeKinds } from './propose-kinds.ts'
import { type ReadConcept, readBundle } from './read-concepts.ts'
import type { JsonReading } from './read-head.ts'

// A bundle is compared with the Brain under its lock: the operations of all files are applied in memory and rolled back, which says what each
// would change. Those that change something are then applied as one change, or staged.

type Deps = { db: Db; commitEngine: Commits; clock: Clock }
type Body = BodyOutput<typeof importBundle>
type Request = Pick<Body, 'plan' | 'overwrite' | 'review' | 'reason'> & { submitter: Submitter; brain: string }

/** An operation of a file, and the version of its item that the file was exported with. */
type FileItem = {
  path: string
  at: number
  type: ContentType
  operation: ResolvedOperation
  known: number | undefined
  isEdited: boolean
}

/** Trust is for people to give: what a Brain key writes is not trusted because a file says so. */
const withoutTrust = <Given extends { provenance?: object | undefined }>({ provenance, ...rest }: Given) => {
  if (provenance === undefined) return rest
  const { trust: _, ...origin } = provenance as { trust?: unknown }
  return Object.keys(origin).length === 0 ? rest : { ...rest, provenance: origin }
}

type Listed = ReadConcept & { at: number }

const toItems = (
  concept: Listed,
  { brain, mayTrust, now }: { brain: string; mayTrust: boolean; now: Date },
): FileItem[] => {
  const { record, statements = [], versions = [], document, path, at, isEdited } = concept
  const toGiven = <Given extends object>(given: Given): Given => (mayTrust ? given : withoutTrust(given)) as Given
  const isOwn = concept.brain === brain
  const operations = resolveOperations(
    [
      ...(record ? [{ op: 'record.put' as const, ...toGiven(record) }] : []),
      ...(document ? [{ op: 'document.put' as const, ...toGiven(document) }] : []),
      ...statements.map((one) => ({ op: 'statement.assert' as const, ...toGiven(one) })),
    ],
    now,
  )
  const numbers = [...(record || document ? [concept.version] : []), ...versions]
  return operations.map((operation, index) => ({
    ...{ path, at, operation, isEdited },
    type: operation.op.split('.')[0] as ContentType,
    known: isOwn ? numbers[index] : undefined,
  }))
}

type Current = ReadonlyMap<ContentType, ReadonlyMap<string, number>>

const readCurrent = async (tx: Tx, brainId: number, items: readonly FileItem[]): Promise<Current> => {
  const current = new Map<ContentType, ReadonlyMap<string, number>>()
  for (const { type, table } of contentKinds) {
    const ids = items.flatMap((item) => (item.type === type && item.known !== undefined ? [item.operation.id] : []))
    current.set(type, ids.length === 0 ? new Map() : await table.selectLiveNumbers(tx, brainId, ids))
  }
  return current
}

const hasMoved = ({ type, operation, known }: FileItem, current: Current): boolean =>
  known !== undefined && current.get(type)?.get(operation.id) !== known

type Compared = { item: FileItem; op: BundleOp }

const toOp = (item: FileItem, applied: Applied | undefined, current: Current): BundleOp => {
  if (!applied?.result.changed) return 'unchanged'
  if (hasMoved(item, current)) return 'conflict'
  return applied.base === null ? 'add' : 'update'
}

/** Says at which file an operation was refused. */
const atFile = (error: unknown, items: readonly FileItem[]): unknown => {
  const index = error instanceof ApiError ? error.details?.[0]?.index : undefined
  const item = typeof index === 'number' ? items[index] : undefined
  if (!(error instanceof ApiError) || !item) return error
  const message = `${item.path}: ${error.message.replace(/^Operation \d+: /, '')}`
  const details = [{ path: ['files', item.at, 'text'], message }]
  return new ApiError(error.kind, message, { ...(error.code === undefined ? {} : { code: error.code }), details })
}

/** Applies the operations of all files in memory, and takes them back. */
const tryItems = (batch: CommitBatch, submitter: Submitter, items: readonly FileItem[]): readonly Applied[] => {
  if (items.length === 0) return []
  const mark = batch.undo.length
  const operations = items.map(({ operation }) => operation)
  try {
    const id = newId('chg', batch.now)
    return applyChange(batch, { id, actor: submitter.actor, operations, isBatch: true }).applied
  } catch (error) {
    throw atFile(error, items)
  } finally {
    rollBack(batch.undo, mark)
  }
}

const countOps = (compared: readonly Compared[]): BundleCounts => {
  const counts = { add: 0, update: 0, unchanged: 0, behind: 0, conflict: 0 }
  for (const { op } of compared) counts[op]++
  return counts
}

const maxReported = 20

const refuseConflicts = (compared: readonly Compared[]): void => {
  const conflicts = compared.filter(({ op }) => op === 'conflict')
  if (conflicts.length === 0) return
  const details = conflicts.slice(0, maxReported).map(({ item }) => ({
    path: ['files', item.at, 'text'],
    message: `${item.path}: the ${item.type} ${item.operation.id} has changed in the Brain since the export.`,
  }))
  throw conflict(
    `${conflicts.length} of the items changed both here and in the files since the export. Export again and repeat your edits, or send overwrite.`,
    { code: 'stale_version', details },
  )
}

type Prepared = {
  items: readonly FileItem[]
  behind: readonly FileItem[]
  current: Current
  skipped: readonly string[]
  toWriteHash: () => string
}

const applyWrites = (
  batch: CommitBatch,
  { submitter, reason, review = false }: Request,
  { written, toWriteHash }: { written: readonly FileItem[]; toWriteHash: () => string },
) => {
  if (written.length === 0) return { outcome: 'landed' as const, change: null, stateVersion: batch.stateVersion }
  const operations = written.map(({ operation }) => operation)
  const writeHash = review || batch.brain.mayStage ? toWriteHash() : undefined
  const all = { operations, isBatch: true, submitter, corrects: undefined, reason, review, writeHash }
  try {
    const { outcome, change, stateVersion } = applyOrStage(batch, all)
    return { outcome, change, stateVersion }
  } catch (error) {
    throw atFile(error, written)
  }
}

/** A hash of a bundle and its caller: an equal one that waits for review is answered instead of staged again. */
const hashBundle = ({ submitter, reason }: Request, items: readonly FileItem[]): string =>
  createHash('sha256')
    .update(canonicalJson(['bundle', submitter.actor.id, items.map(({ operation }) => operation), reason ?? null]))
    .digest('hex')

const answerBundle = (
  batch: CommitBatch,
  request: Request,
  { items, behind, current, skipped, toWriteHash }: Prepared,
): StoredAnswer => {
  const applied = tryItems(batch, request.submitter, items)
  const compared: Compared[] = [
    ...items.map((item, index) => ({ item, op: toOp(item, applied[index], current) })),
    ...behind.map((item) => ({ item, op: 'behind' as const })),
  ]
  const listed = compared
    .filter(({ op }) => op !== 'unchanged')
    .slice(0, bundleLimits.listed)
    .map(({ item: { path, type, operation }, op }) => ({ path, type, id: operation.id, op }))
  const shown = { counts: countOps(compared), items: listed, skipped: skipped.slice(0, 100) }
  const toAnswer = (done: { outcome: string; change: object | null; stateVersion: number | null }): StoredAnswer => ({
    outcome: done.outcome === 'staged' ? 'staged' : 'done',
    data: JSON.stringify({ ...done, ...shown }),
  })
  if (request.plan) return toAnswer({ outcome: 'planned', change: null, stateVersion: batch.stateVersion })
  if (!request.overwrite) refuseConflicts(compared)
  const written = compared.flatMap(({ item, op }) => (op === 'unchanged' || op === 'behind' ? [] : [item]))
  return toAnswer(applyWrites(batch, request, { written, toWriteHash }))
}

const checkCredentials = async ({ commitEngine }: Deps, items: readonly FileItem[]): Promise<void> => {
  if (!commitEngine.refusesCredentials) return
  const refusal = await findRefusedCredentials(
    items.map(({ at, operation }) => ({ at: ['files', at], value: operation })),
  )
  if (refusal) throw refusal
}

type Given = {
  body: Body
  json: JsonReading
  mayTrust: boolean
  /** True if the caller may propose a change of the schema. */
  mayPropose: boolean
  idempotencyKey: string | undefined
}
type Read = Awaited<ReturnType<typeof readBundle>>

/** Writes the content of a bundle as one change: applied, staged, or only planned. */
const storeContent = async (
  deps: Deps,
  submitter: Submitter,
  brain: BrainRow,
  { body, mayTrust, idempotencyKey, concepts, skipped }: Given & Read,
) => {
  const now = deps.clock.now()
  const all = concepts.flatMap((concept) => toItems(concept, { brain: brain.id, mayTrust, now }))
  if (all.length > bundleLimits.operations)
    throw refuseAt(
      ['files'],
      `A call writes at most ${bundleLimits.operations} records, statements and documents. Split the bundle.`,
    )
  await checkCredentials(deps, all)
  // Records come first: statements are about those of any file.
  const rank = ({ type }: FileItem) => (type === 'statement' ? 1 : 0)
  const sorted = all.toSorted((one, other) => rank(one) - rank(other))
  const request: Request = { ...body, submitter, brain: brain.id }
  return deps.commitEngine.submit(brain.brainId, {
    claim: toClaim(submitter.actor.id, idempotencyKey, ['bundle', body]),
    caps: submitter.caps,
    prepare: async (tx, locked) => {
      if (locked.availability === 'held') throw heldBrain()
      const current = await readCurrent(tx, brain.brainId, sorted)
      const isBehind = (item: FileItem) => !item.isEdited && hasMoved(item, current)
      const items = sorted.filter((item) => !isBehind(item))
      const toWriteHash = () => hashBundle(request, items)
      const prepared = { items, behind: sorted.filter(isBehind), current, skipped, toWriteHash }
      return {
        operations: items.map(({ operation }) => operation),
        run: (batch) => answerBundle(batch, request, prepared),
        ...(body.plan ? {} : { toWriteHash, isForReview: body.review ?? false }),
      }
    },
  })
}

/** Writes a bundle: its content as one change, and kinds that the Brain does not declare as a proposal. */
export const storeBundle = async (deps: Deps, submitter: Submitter, brain: BrainRow, given: Given) => {
  const { body, json, mayPropose } = given
  const read = await readBundle(body.files, { json, source: body.source })
  const plan = await planKinds(deps, brain, read.schema)
  const settled = await storeContent(deps, submitter, brain, { ...given, ...read })
  const proposing = { brain, submitter, mayPropose: mayPropose && !body.plan }
  return { settled, schema: await proposeKinds(deps, proposing, plan) }
}
