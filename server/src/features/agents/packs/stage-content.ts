import type { Operation } from '@noema/contracts/batch.ts'
import type { PackFile } from '@noema/contracts/pack-files.ts'
import type { SchemaOperation } from '@noema/contracts/schema.ts'
import type { Clock } from '../../../shared/clock.ts'
import type { Db } from '../../../storage/database.ts'
import type { BrainRow } from '../../kernel/brains/brain-queries.ts'
import { readSchema } from '../../knowledge/schema/schema.ts'
import type { Submitter } from '../../writing/commit/apply-or-stage.ts'
import { submitChange } from '../../writing/commit/commit.ts'
import type { Commits } from '../../writing/commit/commit-engine.ts'
import { proposeEvolution } from '../../writing/schema-changes/schema-changes.ts'
import { toSkillDocument } from '../../writing/skills/put-skill.ts'

// The changes of a pack to a Brain: proposals for a person to decide about. The pack's own name sends them with an idempotency
// key, so that the next install finds a change of one that crashed before it got the answer.

type Deps = { db: Db; clock: Clock; commitEngine: Commits }
type Place = { brain: BrainRow; submitter: Submitter; version: number }

const readChange = ({ answer }: { answer: { data: string } }): string => JSON.parse(answer.data).change.id

/** The kinds of a pack that a schema does not have. Those that it has stay as they are. */
const listNewKinds = async (deps: Deps, brain: BrainRow, { kinds }: PackFile): Promise<SchemaOperation[]> => {
  const declared = new Set((await readSchema(deps, brain)).kinds.map(({ kind }) => kind))
  return kinds
    .filter(({ kind }) => !declared.has(kind))
    .map((kind) => {
      const { title, description, ...rest } = kind
      return {
        op: 'addKind',
        ...rest,
        ...(title === null ? {} : { title }),
        ...(description === null ? {} : { description }),
      }
    })
}

/** Proposes the kinds that are missing; undefined where none are. */
export const stageKinds = async (
  deps: Deps,
  { brain, submitter }: Place,
  pack: PackFile,
): Promise<string | undefined> => {
  const operations = await listNewKinds(deps, brain, pack)
  if (operations.length === 0) return undefined
  const baseVersion = brain.schemaVersion
  const proposed = await proposeEvolution(deps, submitter, brain, {
    idempotencyKey: `schema ${baseVersion}`,
    body: { baseVersion, operations, reason: `The kinds of the pack ${pack.title}` },
  })
  return readChange(proposed)
}

/** The files of a skill as documents, which is what they are in a Brain. */
const toSkillWrites = ({ name, files }: PackFile['skills'][number]): Operation[] =>
  files.map(({ path, text }) => ({ op: 'document.put', ...toSkillDocument(name, { path, text }) }))

/**
 * Stages skills and sample content in any mode of the Brain; returns the change that waits, or that brought it already. Undefined if there
 * is nothing, or the Brain has all of it.
 */
export const stageSample = async (
  deps: Deps,
  { brain, submitter, version }: Place,
  pack: PackFile,
): Promise<string | undefined> => {
  const operations = [...pack.skills.flatMap(toSkillWrites), ...pack.sample]
  if (operations.length === 0) return undefined
  const staged = await submitChange(deps, submitter, brain.brainId, {
    ...{ operations, isBatch: true, review: true, idempotencyKey: version === 1 ? 'sample' : `sample ${version}` },
    reason: `Content of the pack ${pack.title}`,
    answer: ({ outcome, change }) => ({
      outcome: outcome === 'staged' ? 'staged' : 'done',
      data: JSON.stringify({ change: { id: change.id } }),
    }),
  })
  return readChange(staged)
}
