import type { ChangeSchemaItem } from '@noema/contracts/changes.ts'
import type { BodyOutput } from '@noema/contracts/endpoint.ts'
import type { evolveSchema, promoteEmerged, SchemaOperation } from '@noema/contracts/schema.ts'
import type { Clock } from '../../../shared/clock.ts'
import { conflict, refuseAt } from '../../../shared/errors.ts'
import { newId } from '../../../shared/ids.ts'
import type { Db } from '../../../storage/database.ts'
import type { BrainRow } from '../../kernel/brains/brain-queries.ts'
import { heldBrain } from '../../kernel/brains/brains.ts'
import { type CompiledSchema, isSameKinds } from '../../knowledge/kinds/kinds.ts'
import { promotions } from '../../knowledge/schema/emerged.ts'
import { evolveKinds } from '../../knowledge/schema/evolve.ts'
import { readEmerged } from '../../knowledge/schema/schema.ts'
import { loadSchema } from '../../knowledge/schema/schema-cache.ts'
import { toClaim } from '../../platform/idempotency/idempotency.ts'
import type { Submitter } from '../commit/apply-or-stage.ts'
import { type ChangeItem, type StoredChange, toRef, undecided } from '../commit/change-store.ts'
import type { CommitBatch } from '../commit/commit-batch.ts'
import type { Commits } from '../commit/commit-engine.ts'
import { countViolations, noViolations } from './count-violations.ts'

// Proposals to change the schema. They always wait for a decision, also where writes land (BRN-08).

type Deps = { db: Db; clock: Clock; commitEngine: Commits }

/** A proposal that was found sound on the schema that it rests on. */
type Proposal = { baseVersion: number; items: (ChangeItem & ChangeSchemaItem)[] }

const stale = (baseVersion: number, version: number) =>
  conflict(
    `The schema is at version ${version}, not ${baseVersion}. Read it again, and propose the change for that version.`,
    {
      code: 'stale_schema',
      details: [{ path: ['baseVersion'], message: `The current version is ${version}.`, current: version }],
    },
  )

/** The effects of a proposal, found before its turn: counting violations may take a while. */
const prepare = async (
  { db }: Deps,
  { brainId }: BrainRow,
  schema: CompiledSchema,
  operations: readonly SchemaOperation[],
): Promise<Proposal> => {
  const { kinds, steps } = evolveKinds(schema.kinds, operations)
  if (isSameKinds(kinds, schema.kinds)) throw refuseAt(['operations'], 'These operations do not change the schema.')
  const numbered = steps.flatMap((step, index) => {
    const operation = operations[index]
    return operation ? [{ ...step, operation, item: String(index + 1) }] : []
  })
  const counts = await countViolations(db, brainId, numbered)
  const items = numbered.map(({ item, operation, target, tag }) => ({
    item,
    op: 'schema.evolve' as const,
    target: { type: 'schema' as const, id: target },
    base: schema.version,
    made: null,
    evolve: operation,
    tag,
    ...(counts.get(item) ?? noViolations),
  }))
  return { baseVersion: schema.version, items }
}

type Proposing = { submitter: Submitter; reason: string | undefined }

const stage = (
  batch: CommitBatch,
  { baseVersion, items }: Proposal,
  { submitter, reason }: Proposing,
): StoredChange => {
  const { brain, now, content } = batch
  if (brain.availability === 'held') throw heldBrain()
  if (content.schema.version !== baseVersion) throw stale(baseVersion, content.schema.version)
  batch.spend({ writes: items.length, bytes: Buffer.byteLength(JSON.stringify(items)) }, submitter.caps)
  const change: StoredChange = {
    ...undecided,
    id: newId('chg', now),
    decision: 'pending',
    application: 'not_applied',
    stagedBy: submitter.actor,
    reason: reason ?? null,
    baseState: batch.stateVersion,
    stateVersion: null,
    items,
    createdAt: now.toISOString(),
  }
  batch.putChange(change)
  batch.emit({ type: 'change.staged', data: { change: change.id } })
  return change
}

type Asked = { idempotencyKey: string | undefined; request: unknown; reason: string | undefined }

const propose = async (
  deps: Deps,
  submitter: Submitter,
  brain: BrainRow,
  { idempotencyKey, request, reason, plan }: Asked & { plan: (schema: CompiledSchema) => Promise<Proposal> },
) => {
  // Its errors are thrown in its turn: a repeat of an answered call gets that answer.
  const [planned] = await Promise.allSettled([
    loadSchema(deps.db, brain.brainId, brain.schemaVersion).then((schema) => plan(schema)),
  ])
  return deps.commitEngine.submit(brain.brainId, {
    operations: [],
    changeIds: [],
    claim: toClaim(submitter.actor.id, idempotencyKey, request),
    caps: submitter.caps,
    run: (batch) => {
      if (planned.status === 'rejected') throw planned.reason
      const change = stage(batch, planned.value, { submitter, reason })
      const items = planned.value.items.map(({ base, made, evolve, ...item }) => item)
      const data = { outcome: 'staged', change: toRef(change), stateVersion: null, items }
      return { outcome: 'staged', data: JSON.stringify(data) }
    },
  })
}

/** Proposes a change of the schema. */
export const proposeEvolution = (
  deps: Deps,
  submitter: Submitter,
  brain: BrainRow,
  { idempotencyKey, body }: { idempotencyKey: string | undefined; body: BodyOutput<typeof evolveSchema> },
) =>
  propose(deps, submitter, brain, {
    idempotencyKey,
    request: ['evolve', body],
    reason: body.reason,
    plan: async (schema) => {
      if (body.baseVersion !== schema.version) throw stale(body.baseVersion, schema.version)
      return prepare(deps, brain, schema, body.operations)
    },
  })

/** Proposes to declare what emerged. */
export const proposePromotion = (
  deps: Deps,
  submitter: Submitter,
  brain: BrainRow,
  { idempotencyKey, body }: { idempotencyKey: string | undefined; body: BodyOutput<typeof promoteEmerged> },
) =>
  propose(deps, submitter, brain, {
    idempotencyKey,
    request: ['promote', body],
    reason: body.reason,
    plan: async (schema) => {
      const found = await readEmerged(deps.db, brain.brainId, schema, body.emerged)
      return prepare(deps, brain, schema, promotions(schema, body.emerged, found, body.as))
    },
  })
