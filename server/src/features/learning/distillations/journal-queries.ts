import { sql } from 'kysely'
import { hidesRun, isShown, isVisible, type Viewer } from '../../../storage/brain-access.ts'
import type { Queryable } from '../../../storage/database.ts'
import type { DistillationKey } from './types.ts'

// A distillation reads so many operations of each run, and the beginning of each text.

const maxOperations = 100
const maxTasks = 10

/** The characters of an answer of a tool that are read. All of them are examined for instructions. */
const maxOutput = 4_000
const maxRead = 1_000

/** The next runs that are not read yet, as far as their starter may still see them, and which of them those are. */
export const selectUnread = async (
  db: Queryable,
  { organizationId, id }: DistillationKey,
  { viewer, limit }: { viewer: Viewer; limit: number },
): Promise<{ position: number; runId: string; isOpen: boolean }[]> => {
  const shown = isVisible(viewer, (userId) => hidesRun(sql`listed.organization_id`, sql`listed.run_id`, userId))
  const { rows } = await sql<{ position: number; runId: string; isOpen: boolean }>`
    select position, run_id as "runId", ${shown} as "isOpen" from distillation_runs as listed
    where organization_id = ${organizationId} and distillation_id = ${id} and extract is null
    order by position limit ${limit}`.execute(db)
  return rows
}

/** A call of a tool, with the beginnings of its texts. `name`: with its action, if it has one, such as `knowledge_read.get_record`. */
export type JournalOperation = {
  id: string
  name: string
  status: string
  error: string | null
  output: string | null
  evidence: string | null
  question: string | null
  brain: string | null
  receipt: string | null
  change: string | null
}

type RunKey = { organizationId: string; runId: string }

/** The calls of tools of a run, in their order. */
export const selectOperations = async (
  db: Queryable,
  { organizationId, runId }: RunKey,
): Promise<JournalOperation[]> => {
  const given = (name: string) => sql`case when json_typeof(input) = 'object' then input->>${name} end`
  const { rows } = await sql<JournalOperation>`
    select id, name || case when ${given('action')} ~ '^[a-z_]{1,40}$' then '.' || (input->>'action') else '' end as name, status, left(error, ${maxRead}) as error, left(output::text, ${maxOutput}) as output,
      case when json_typeof(output) = 'object' then output->>'evidence' end as evidence,
      left(coalesce(${given('query')}, ${given('q')}, ${given('question')}), ${maxRead}) as question,
      brain_handle as brain, receipt, change
    from run_operations where organization_id = ${organizationId} and run_id = ${runId} and type = 'tool_call'
    order by sequence limit ${maxOperations}`.execute(db)
  return rows
}

/** A question of a run that a person answered. */
export type AnsweredTask = { operationId: string; question: string; answer: string }

export const selectAnswered = async (db: Queryable, { organizationId, runId }: RunKey): Promise<AnsweredTask[]> => {
  const { rows } = await sql<AnsweredTask>`
    select operation_id as "operationId", left(question, ${maxRead}) as question, left(answer, ${maxRead}) as answer
    from run_tasks where organization_id = ${organizationId} and run_id = ${runId} and state = 'completed'
      and answer is not null order by id limit ${maxTasks}`.execute(db)
  return rows
}

/** The Brains of a run whose changes a person may review, by number. */
export const selectReviewedBrains = async (
  db: Queryable,
  { organizationId, runId }: RunKey,
  viewer: Viewer,
): Promise<{ brainId: number; handle: string }[]> => {
  const { rows } = await sql<{ brainId: number; handle: string }>`
    select brain.brain_id as "brainId", brain.handle from run_brains as reached
      join brain_directory as brain on brain.brain_id = reached.brain_id
    where reached.organization_id = ${organizationId} and reached.run_id = ${runId} and reached.access <> 'none'
      and brain.deleted_at is null and ${isShown(sql`brain.brain_id`, viewer, 'reviewer')}
    order by brain.brain_id limit 20`.execute(db)
  return rows
}

/** A change of a run that a person rejected. */
export type RejectedChange = { operationId: string; change: string; reason: string | null }

/** Those of some changes of a Brain that were rejected. */
export const selectRejected = async (
  db: Queryable,
  brainId: number,
  ids: readonly string[],
): Promise<{ change: string; reason: string | null }[]> => {
  const { rows } = await sql<{ change: string; reason: string | null }>`
    select id as change, left(decision_reason, ${maxRead}) as reason from changes
    where brain_id = ${brainId} and id = any(${[...ids]}::text[]) and decision = 'rejected' order by id`.execute(db)
  return rows
}

/** Something that a run read or wrote and that was corrected afterwards. `item`: its type and id. */
export type CorrectedRead = { operationId: string; change: string; reason: string | null; item: string }

/** Those of some changes of a Brain that correct others. */
export const selectCorrecting = async (
  db: Queryable,
  brainId: number,
  ids: readonly string[],
): Promise<{ change: string; reason: string | null }[]> => {
  const { rows } = await sql<{ change: string; reason: string | null }>`
    select id as change, left(reason, ${maxRead}) as reason from changes
    where brain_id = ${brainId} and id = any(${[...ids]}::text[]) and corrects is not null
      and application = 'applied' order by id`.execute(db)
  return rows
}
