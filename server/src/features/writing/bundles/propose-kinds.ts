import { createHash } from 'node:crypto'
import { type BundleSchema, bundleLimits } from '@noema/contracts/bundles.ts'
import type { SchemaOperation } from '@noema/contracts/schema.ts'
import type { SchemaKind } from '@noema/contracts/schema-kinds.ts'
import type { Clock } from '../../../shared/clock.ts'
import { ApiError, refuseAt } from '../../../shared/errors.ts'
import { canonicalJson } from '../../../shared/text/json.ts'
import type { Db } from '../../../storage/database.ts'
import type { BrainRow } from '../../kernel/brains/brain-queries.ts'
import { readSchema } from '../../knowledge/schema/schema.ts'
import type { Submitter } from '../commit/apply-or-stage.ts'
import type { Commits } from '../commit/commit-engine.ts'
import { proposeEvolution } from '../schema-changes/schema-changes.ts'
import type { SchemaFile } from './schema-file.ts'

// The kinds that a bundle declares and the Brain does not become a proposal of their own: a change of the schema always waits for a decision.

type Deps = { db: Db; clock: Clock; commitEngine: Commits }

/** The steps that the Brain lacks, and the names that it declares otherwise. */
export type KindsPlan = { operations: SchemaOperation[]; missing: string[]; differing: string[]; baseVersion: number }

/** As many steps as one proposal has. */
const maxOperations = 500

const isSame = (one: unknown, other: unknown): boolean => canonicalJson(one) === canonicalJson(other)

/** A field or a link of a kind, with the step that adds it. */
type Part = { name: string; declared: object; add: SchemaOperation }

const listParts = ({ kind, fields, links }: SchemaKind): Part[] => [
  ...fields.map((field) => ({
    name: `${kind}.${field.name}`,
    declared: field,
    add: { op: 'addField' as const, kind, field },
  })),
  ...links.map((link) => ({
    name: `${kind}->${link.predicate}`,
    declared: link,
    add: { op: 'addLink' as const, kind, link },
  })),
]

/** Compares a kind with that of the Brain, which keeps what it declares. */
const compareKind = (given: SchemaKind, own: SchemaKind | undefined, plan: KindsPlan): void => {
  const { kind } = given
  if (!own) {
    plan.operations.push({ op: 'addKind', ...given })
    plan.missing.push(kind)
    return
  }
  if (given.strict !== own.strict) plan.differing.push(kind)
  const known = new Map(listParts(own).map(({ name, declared }) => [name, declared]))
  for (const { name, declared, add } of listParts(given)) {
    const before = known.get(name)
    if (before === undefined) {
      plan.operations.push(add)
      plan.missing.push(name)
    } else if (!isSame(before, declared)) plan.differing.push(name)
  }
}

/**
 * What a file declares beyond the schema of the Brain. One that was exported from this Brain and not edited declares nothing: the Brain may
 * have retired since what is in it.
 */
export const planKinds = async (
  deps: Pick<Deps, 'db'>,
  brain: BrainRow,
  file: SchemaFile | undefined,
): Promise<KindsPlan | undefined> => {
  if (!file) return undefined
  const { kinds, schemaVersion: baseVersion } = await readSchema(deps, brain)
  const plan: KindsPlan = { operations: [], missing: [], differing: [], baseVersion }
  if (file.brain === brain.id && !file.isEdited) return plan
  const byKind = new Map(kinds.map((own) => [own.kind, own]))
  for (const given of file.kinds) compareKind(given, byKind.get(given.kind), plan)
  if (plan.operations.length > maxOperations)
    throw refuseAt(
      ['files', file.at, 'text'],
      `${file.path}: it declares ${plan.operations.length} things that the Brain does not; one proposal has at most ${maxOperations}. Split it.`,
    )
  return plan
}

/** Proposes what is missing, once for each version of the schema: a repeated push finds the proposal. */
export const proposeKinds = async (
  deps: Deps,
  { brain, submitter, mayPropose }: { brain: BrainRow; submitter: Submitter; mayPropose: boolean },
  plan: KindsPlan | undefined,
): Promise<BundleSchema | null> => {
  if (!plan) return null
  const { operations, missing, differing, baseVersion } = plan
  const shown = { missing, differing: differing.slice(0, bundleLimits.listed) }
  if (operations.length === 0 || !mayPropose) return { ...shown, change: null }
  const hash = createHash('sha256').update(canonicalJson(operations)).digest('hex').slice(0, 32)
  try {
    const { answer } = await proposeEvolution(deps, submitter, brain, {
      idempotencyKey: `bundle schema ${baseVersion} ${hash}`,
      body: { baseVersion, operations, reason: 'Kinds of a bundle' },
    })
    return { ...shown, change: JSON.parse(answer.data).change }
  } catch (error) {
    // The schema changed meanwhile. The content is written, and the next push compares again.
    if (error instanceof ApiError && error.code === 'stale_schema') return { ...shown, change: null }
    throw error
  }
}
