import type { Citation, Distillation, FindingKind, ItemFlag, ItemOutcome } from '@noema/contracts/distillations.ts'
import type { Actor } from '../../../shared/actor.ts'
import type { LeasedRow } from '../../../shared/concurrency/leased-work.ts'

export type DistillationKey = { organizationId: string; id: string }

/** The request of a distillation, fixed when it began. `seed`: a random text that only it has, for the codes of its model. */
export type DistillationDefinition = Pick<Distillation, 'from' | 'produce' | 'allowWider'> & {
  model: { id: string; version: number } | null
  seed: string
}

/** `reading` journals, `wording` what was found by a model, or `staging` it. */
export type Phase = 'reading' | 'wording' | 'staging'

export type DistillationRow = DistillationKey & {
  state: Distillation['state']
  phase: Phase
  /** The id of the Brain that gets the items. */
  brain: string
  definition: DistillationDefinition
  runs: number
  read: number
  found: number
  staged: number
  startedBy: Actor
  waiting: string | null
  failureReason: string | null
  createdAt: Date
  completedAt: Date | null
}

/** A distillation that this node works on. `waits`: turns in a row that found nothing to do. */
export type LeasedDistillation = LeasedRow &
  Pick<DistillationRow, 'id' | 'phase' | 'brain' | 'definition' | 'startedBy'> & { waits: number }

/** The texts of a lesson. */
type LessonText = { situation: string; advice: string; outcome: string }

/** Something that an operation of a run shows. Those with one key are one lesson. */
export type Seen = LessonText & {
  finding: Exclude<FindingKind, 'tool_sequence'>
  key: string
  operationId: string
  flags: ItemFlag[]
}

/** The findings in the journal of one run. */
export type Extract = {
  /** The tools that answered, in their order, with their operations. */
  tools: [name: string, operationId: string][]
  seen: Seen[]
  /** Of all that the run has read. */
  flags: ItemFlag[]
}

/** The content from which an item is staged. A skill has the names of its tools in the place of texts. */
export type ItemContent = {
  finding: FindingKind
  seen: number
  citations: Citation[]
  flags: ItemFlag[]
  wordedBy: 'service' | 'model'
} & ({ lesson: LessonText } | { tools: string[]; description: string })

export type ItemRow = {
  number: number
  type: 'lesson' | 'skill'
  item: string
  content: ItemContent
  outcome: ItemOutcome
  change: string | null
  note: string | null
}
