import { z } from 'zod'
import { handle } from './brains.ts'
import { actor, itemId, listQuery, pageResult, timeInput, timestamp } from './common.ts'
import { defineEndpoint } from './endpoint.ts'
import { cron, timezone } from './schedule-times.ts'

// A distillation reads the journals of runs that have ended, and stages what can be learned from them: lessons, which are records, and
// skills. It never applies anything itself, in Brains of any mode.

/** The most runs that one distillation reads, and the most items that it stages. */
export const maxDistilledRuns = 500
export const maxDistilledItems = 50

/** The kind of the records that lessons are. */
export const lessonKind = 'lesson'

const outcome = z.enum(['completed', 'failed', 'abandoned'])
const product = z.enum(['lesson', 'skill'])
const id = z.string().min(1).max(100)

export const distillationSource = z
  .object({
    agentId: id.optional().describe('Only runs of this agent.'),
    runs: z.array(id).min(1).max(maxDistilledRuns).optional().describe('These runs, by id.'),
    since: timeInput.optional().describe('Only runs that were started since.'),
    sinceDays: z.int().min(1).max(366).optional().describe('Only runs that were started in the last so many days.'),
    outcome: z.array(outcome).min(1).max(3).optional().describe('Only runs that ended so.'),
  })
  .describe(`Which runs are read: of those that have ended, the newest ${maxDistilledRuns}.`)

/** `failed`: it could not go on; what was staged stays. */
export const distillationState = z.enum(['queued', 'running', 'completed', 'failed', 'canceled'])
export type DistillationState = z.infer<typeof distillationState>

/**
 * How an item was found: by a sequence of tools that runs repeat, a tool that fails with the same message, a question that nothing
 * answered, or a person who corrected a run.
 */
export const findingKind = z.enum(['tool_sequence', 'tool_failure', 'no_evidence', 'correction'])
export type FindingKind = z.infer<typeof findingKind>

/**
 * `staged`: its change waits for review. `known`: the Brain has it, with nothing to add. `pending`: an earlier change waits with it.
 * `rejected`: a person rejected it before. `refused`: the Brain does not take it, as `note` says. `reported`: a question that nothing
 * answers, which is for people to answer and is never staged.
 */
export const itemOutcome = z.enum(['found', 'staged', 'known', 'pending', 'rejected', 'refused', 'reported'])
export type ItemOutcome = z.infer<typeof itemOutcome>

/**
 * `instructions`: something that it was found in tries to instruct its reader. Such text is left out of the item, and read before you
 * approve it. `hidden_characters`: something there has characters that people do not see.
 */
export const itemFlag = z.enum(['instructions', 'hidden_characters'])
export type ItemFlag = z.infer<typeof itemFlag>

const citation = z
  .object({
    runId: z.string().describe('The id of the run.'),
    operationId: z.string().describe('The id of the operation in its journal.'),
  })
  .describe('Where it was found.')
export type Citation = z.infer<typeof citation>

export const distilledItem = z
  .object({
    type: product.describe('A lesson, which is a record, or a skill.'),
    id: z.string().describe('The id of the record, or the name of the skill.'),
    finding: findingKind.describe('What it was found by.'),
    summary: z.string().describe('The situation of the lesson, or the description of the skill.'),
    outcome: itemOutcome.describe('What became of it.'),
    change: z.string().nullable().describe('The change that has it; null if there is none.'),
    note: z.string().optional().describe('Why it is not staged, for people.'),
    flags: z.array(itemFlag).describe('What a reviewer should look at.'),
    wordedBy: z.enum(['service', 'model']).describe('Who worded it.'),
    seen: z.int().describe('How often it was seen.'),
    citations: z.array(citation).describe('Where, at most 20 places.'),
  })
  .describe('A lesson or a skill that a distillation found.')
export type DistilledItem = z.infer<typeof distilledItem>

export const distillation = z
  .object({
    id: itemId,
    state: distillationState.describe('The state.'),
    from: distillationSource,
    brain: z.string().nullable().describe('The handle of the Brain; null where there is none that you can read.'),
    produce: z.array(product).describe('What it looks for.'),
    model: z.string().nullable().describe('The agent whose model words the lessons; null for none.'),
    allowWider: z.boolean().describe('True if the Brain may have more readers than what is read.'),
    runs: z.int().describe('How many runs it reads.'),
    read: z.int().describe('How many of them it has read.'),
    found: z.int().describe('How many items it found.'),
    staged: z.int().describe('How many changes it staged.'),
    waiting: z.string().optional().describe('Why it does not go on at present, for people.'),
    failureReason: z.string().optional().describe('Why it failed, for people.'),
    startedBy: actor.describe('Who started it.'),
    createdAt: timestamp,
    completedAt: timestamp.nullable().describe('When it ended; null before.'),
  })
  .describe('A distillation of runs.')
export type Distillation = z.infer<typeof distillation>

const path = '/v1/distillations' as const

const request = {
  from: distillationSource,
  into: z.object({ brain: handle }).describe('The Brain that gets the items.'),
  produce: z.array(product).min(1).max(2).default(['lesson', 'skill']).describe('What to look for.'),
  model: id
    .optional()
    .describe('The id of an agent without tools, Brains and skills, whose model words what was found.'),
  allowWider: z
    .boolean()
    .default(false)
    .describe('Allows a Brain with readers who cannot read the Brains of the runs.'),
}

/** The request of a distillation, as a schedule keeps it. */
export const scheduledDistillation = z.object(request).describe('The distillation to start: its request.')
export type ScheduledDistillation = z.output<typeof scheduledDistillation>

export const startDistillation = defineEndpoint({
  method: 'POST',
  path,
  summary: 'Distill runs into lessons and skills',
  description:
    'Reads the journals of runs in the background and stages what it finds for review, one change for each item, in a Brain of any mode. ' +
    'Every started hundred of runs counts as one run of the day.\n\nWithout `model`, it finds and words what needs no model: repeated ' +
    'sequences of tools, tools that fail with the same message, questions without evidence, and corrections by people.' +
    '\n\nWith `schedule`, it is repeated: a schedule is created that starts it again at each of these times.',
  access: 'management',
  body: z.object({
    ...request,
    schedule: z
      .object({ cron, timezone: timezone.default('UTC') })
      .optional()
      .describe('Starts it again at these times, by a schedule.'),
  }),
  errors: ['not_found', 'wider_readers', 'agent_archived', 'too_many_distillations', 'too_many_schedules', 'run_cap'],
  status: [201],
  result: z.object({
    distillation: distillation.describe('The distillation.'),
    scheduleId: z.string().optional().describe('The id of the schedule that repeats it.'),
  }),
})

export const listDistillations = defineEndpoint({
  method: 'GET',
  path,
  summary: 'List distillations',
  description: 'Lists distillations by id, which is the order of their start.',
  access: 'management',
  query: z.object(listQuery),
  status: [200],
  list: 'distillations',
  result: z.object({ distillations: z.array(distillation).describe('The distillations of this page.'), ...pageResult }),
})

export const getDistillation = defineEndpoint({
  method: 'GET',
  path: `${path}/{id}`,
  summary: 'Read a distillation and its items',
  description: 'Reads how far a distillation is, and what it found.',
  access: 'management',
  status: [200],
  result: z.object({
    distillation: distillation.describe('The distillation.'),
    items: z.array(distilledItem).describe('What it found.'),
  }),
})

export const cancelDistillation = defineEndpoint({
  method: 'POST',
  path: `${path}/{id}/cancel`,
  summary: 'Cancel a distillation',
  description: 'Cancels a distillation. What was staged stays; one that has ended stays as it is.',
  access: 'management',
  status: [200],
  result: z.object({ distillation: distillation.describe('The distillation.') }),
})

/** The endpoints about distillations, by their names in the table of the API. */
export const distillationEndpoints = {
  start: startDistillation,
  list: listDistillations,
  get: getDistillation,
  cancel: cancelDistillation,
} as const
