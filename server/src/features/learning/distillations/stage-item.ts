import type { Operation } from '@noema/contracts/batch.ts'
import { type FindingKind, lessonKind } from '@noema/contracts/distillations.ts'
import { skillFile } from '@noema/contracts/skills.ts'
import type { Caps } from '../../../config/tiers.ts'
import type { Actor } from '../../../shared/actor.ts'
import type { Clock } from '../../../shared/clock.ts'
import { ApiError } from '../../../shared/errors.ts'
import type { Db } from '../../../storage/database.ts'
import type { BrainRow } from '../../kernel/brains/brain-queries.ts'
import { maxLoadedBytes } from '../../kernel/versioning/load-budget.ts'
import { documentTable } from '../../knowledge/documents/document-queries.ts'
import { recordTable } from '../../knowledge/records/record-queries.ts'
import { addComment } from '../../writing/comments/comments.ts'
import { selectChanges } from '../../writing/commit/change-store.ts'
import { submitChange } from '../../writing/commit/commit.ts'
import type { Commits } from '../../writing/commit/commit-engine.ts'
import { toFolder } from '../../writing/skills/addresses.ts'
import { selectEarlierChanges } from './item-queries.ts'
import type { DistillationKey, ItemRow } from './types.ts'
import { toSkillWrite } from './write-skill.ts'

// Stages one item, as a change of its own that waits for review in a Brain of any mode. An item has a stable id, so that the next
// distillation finds what an earlier one made of the same: it adds where a lesson was seen, and changes nothing else of it.

export type StageDeps = { db: Db; clock: Clock; commitEngine: Commits }

/** Places that a lesson names over time. */
const maxSeenIn = 50

type Staging = { work: DistillationKey; brain: BrainRow; actor: Actor; caps: Caps }
type Done = Pick<ItemRow, 'outcome' | 'change' | 'note'>

const done = (outcome: ItemRow['outcome'], note: string | null, change: string | null = null): Done => ({
  ...{ outcome, note, change },
})

const toPlaces = ({ content }: ItemRow): string[] =>
  content.citations.map(({ runId, operationId }) => `${runId}/${operationId}`)

const provenance = { source: 'distillation', trust: 'unverified' } as const

const budget = () => ({ left: maxLoadedBytes })

const isOfDistillation = (actor: Pick<Actor, 'type' | 'id'> | undefined): boolean =>
  actor?.type === 'system' && actor.id.startsWith('dst_')

/** Finds an earlier change of an item that is still open, or that was rejected. */
const findEarlier = async (db: Db, { work, brain }: Staging, { item }: ItemRow): Promise<Done | undefined> => {
  const ids = await selectEarlierChanges(db, work, { brain: brain.id, item })
  const changes = await selectChanges(db, brain.brainId, ids)
  const open = changes.find(({ decision, application }) =>
    decision === 'approved' ? application !== 'applied' && application !== 'cancelled' : decision === 'pending',
  )
  if (open) return done('pending', 'An earlier distillation found it, and its change waits.', open.id)
  const rejected = changes.find(({ decision }) => decision === 'rejected')
  return rejected && done('rejected', 'A person rejected it before.', rejected.id)
}

/** The write of a lesson, or why there is none. */
const planLesson = async (db: Db, staging: Staging, row: ItemRow): Promise<Operation | Done> => {
  const { content, item } = row
  if (!('lesson' in content)) throw new Error('A lesson has texts.')
  const { brainId } = staging.brain
  const [found] = await recordTable.selectNewest(db, brainId, [item], budget())
  const places = toPlaces(row)
  if (found && found.toState !== null) return done('rejected', 'A person deleted it.')
  const earlier = await findEarlier(db, staging, row)
  if (earlier?.outcome === 'pending') return earlier
  if (!found) {
    if (earlier) return earlier
    const fields = { ...content.lesson, finding: content.finding, seenIn: places }
    return { op: 'record.put', id: item, kind: lessonKind, fields, provenance }
  }
  const [first] = await recordTable.selectNumbered(db, brainId, [{ id: item, number: 1 }], budget())
  const { kind, fields } = found.content
  if (kind !== lessonKind || !isOfDistillation(first?.content.provenance.actor))
    return done('refused', 'Another record has its id.')
  const known = Array.isArray(fields.seenIn) ? fields.seenIn.filter((one) => typeof one === 'string') : []
  const added = places.filter((place) => !known.includes(place))
  if (added.length === 0) return done('known', null)
  return { op: 'record.patch', id: item, fields: { seenIn: [...known, ...added].slice(-maxSeenIn) }, provenance }
}

/** The write of a skill, or why there is none. A skill that is there is never written again. */
const planSkill = async (db: Db, staging: Staging, row: ItemRow): Promise<Operation | Done> => {
  if (!('tools' in row.content)) throw new Error('A skill has tools.')
  const id = toFolder(row.item) + skillFile
  const [found] = await documentTable.selectNewest(db, staging.brain.brainId, [id], budget())
  if (found) return found.toState === null ? done('known', null) : done('rejected', 'A person deleted it.')
  return (await findEarlier(db, staging, row)) ?? toSkillWrite(row.item, row.content)
}

const warnings = {
  instructions:
    'What this was found in tries to instruct its reader. That text is left out here. Read the operations that it names before you approve it.',
  hidden_characters: 'What this was found in has characters that people do not see.',
}

const origins = {
  tool_sequence: 'a repeated sequence of tools',
  tool_failure: 'a tool that failed with the same message',
  no_evidence: 'a question without evidence',
  correction: 'a correction',
} satisfies Record<FindingKind, string>

const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? '' : 's'}`

/** The reason of a change, for a reviewer. Only the service words it: the title of a change quotes no journal, and names no agent. */
const toReason = ({ type, content: { finding, seen, citations } }: ItemRow): string => {
  const runs = new Set(citations.map(({ runId }) => runId)).size
  // Only some of many places are cited, and so only some of their runs are known.
  const places = `${count(seen, 'place')} of ${seen > citations.length ? 'runs' : count(runs, 'run')}`
  return `A ${type} from ${origins[finding]}, seen in ${seen === runs ? count(runs, 'run') : places}.`
}

/** Submits the write of an item. A repeat after a crash gets the same change. */
const submit = async (deps: StageDeps, { work, brain, actor, caps }: Staging, row: ItemRow, operation: Operation) => {
  const { answer } = await submitChange(deps, { actor, mayRead: true, caps }, brain.brainId, {
    operations: [operation],
    isBatch: true,
    review: true,
    idempotencyKey: `item ${row.number}`,
    asked: [work.id, row.number],
    reason: toReason(row),
    answer: ({ outcome, change }) => ({
      outcome: outcome === 'staged' ? 'staged' : 'done',
      data: JSON.stringify({ outcome, change: { id: change.id } }),
    }),
  })
  return JSON.parse(answer.data) as { outcome: 'staged' | 'landed'; change: { id: string } }
}

/** A record that repeats a question would be found in the place of an answer: measured, each such lesson hid that there is none. */
const gap = 'Add what answers this question. A lesson would repeat the question, and searches would find it.'

/** Stages an item, and says what became of it. A question that nothing answers is only reported. */
export const stageItem = async (deps: StageDeps, staging: Staging, row: ItemRow): Promise<Done> => {
  if (row.content.finding === 'no_evidence') return done('reported', gap)
  const plan = row.type === 'lesson' ? planLesson : planSkill
  const planned = await plan(deps.db, staging, row)
  if ('outcome' in planned) return planned
  try {
    const { outcome, change } = await submit(deps, staging, row, planned)
    if (outcome !== 'staged') return done('known', null)
    for (const flag of row.content.flags)
      await addComment(
        deps,
        { brainId: staging.brain.brainId, id: change.id },
        { text: warnings[flag], by: staging.actor },
      )
    return done('staged', null, change.id)
  } catch (error) {
    if (!(error instanceof ApiError) || error.kind !== 'validation') throw error
    return done('refused', error.message.slice(0, 500))
  }
}
