import { z } from 'zod'
import { agentAccess } from './agents.ts'
import { handle } from './brains.ts'
import { deletedResult, displayName, itemId, timestamp } from './common.ts'
import { defineEndpoint } from './endpoint.ts'
import { lockErrors } from './error-codes.ts'
import { kind } from './records.ts'

// Triggers start runs of an agent when something happens in a Brain.

const name = z
  .string()
  .trim()
  .min(1, 'A name has 1 to 200 characters.')
  .max(200, 'A name has 1 to 200 characters.')
  .describe('The name, for people.')
const id = z.string().min(1).max(200)
const expectedOutcome = z.string().max(4_000, 'expectedOutcome has at most 4,000 characters.')

/** The most kinds that one trigger names. */
export const maxKindScopes = 50

/** In place of a kind: changes that begin to wait for review. */
export const stagedChanges = '@change.staged'

/**
 * The events that start a trigger: records of a kind, statements about them, and their dates. `statement` means every statement
 * and `document` every document. Staged changes start only the triggers that name them.
 */
const kindScope = z.object({
  entityKind: z
    .union([z.literal(stagedChanges), kind], { error: `A kind of records, or ${stagedChanges}.` })
    .describe(
      `The kind of record that the trigger listens to, or \`${stagedChanges}\` for changes that wait for review.`,
    ),
})
const kindScopes = z.array(kindScope).max(maxKindScopes, `A trigger names at most ${maxKindScopes} kinds.`)

export const trigger = z
  .object({
    id: itemId,
    knowledgeGraphId: z.string().describe('The id of the Brain.'),
    agentId: z.string().describe('The id of the agent.'),
    name: displayName,
    expectedOutcome: z.string().describe('The goal of the run, for the model.'),
    requiredAccess: agentAccess,
    enabled: z.boolean().describe('True if it is active.'),
    kindScopes: z.array(kindScope).describe('The kinds of records whose changes start a run.'),
  })
  .describe(
    "A trigger: `knowledgeGraphId` is the id of the Brain. A run that it starts may go as far as the agent's own " +
      'access to its Brains and `requiredAccess` both allow. Without kindScopes it looks at every kind.',
  )
export type Trigger = z.infer<typeof trigger>

export const listedTrigger = z
  .object({
    trigger: trigger.describe('The trigger.'),
    lastRunId: z.string().optional().describe('The id of the run that it started last.'),
    lastFiredAt: timestamp.optional(),
    paused: z
      .object({ reason: z.string().describe('Why, for people.') })
      .optional()
      .describe('Why it does not run at present.'),
  })
  .describe(
    'A trigger with its state: the run that it started last, and the reason if it starts none at the moment. It goes ' +
      'on at its position: by itself once a cap allows, otherwise when it is changed.',
  )
export type ListedTrigger = z.infer<typeof listedTrigger>

const path = '/v1/automations/triggers' as const

export const listTriggers = defineEndpoint({
  method: 'GET',
  path,
  summary: "List the organization's triggers",
  description: "Lists an organization's triggers.",
  access: 'management',
  status: [200],
  result: z.object({ triggers: z.array(listedTrigger).describe('The triggers.') }),
})

export const createTrigger = defineEndpoint({
  method: 'POST',
  path,
  summary: 'Start runs of an agent on events of a Brain',
  description:
    'Makes a trigger. From the moment that it is enabled, each event of a record, statement or document of its kinds ' +
    'starts one run of the agent, in the order of the events. Writes of its own runs start none, even if a ' +
    'person publishes, splits, edits or reverts them later; triggers that start each other end after three runs in a ' +
    'row.',
  access: 'management',
  body: z
    .object({
      brain: handle.optional().describe('The handle of the Brain; or name it by `knowledgeGraphId`.'),
      knowledgeGraphId: id.optional().describe('The id of the Brain.'),
      agentId: id.describe('The id of the agent.'),
      name,
      expectedOutcome: expectedOutcome.default('').describe('The goal of the run, for the model.'),
      requiredAccess: agentAccess
        .default('read_only')
        .describe('Whether runs may only read the Brain or also write to it.'),
      enabled: z.boolean().default(true).describe('True if it is active.'),
      kindScopes: kindScopes.default([]).describe('The kinds of records whose changes start a run.'),
    })
    .refine(({ brain, knowledgeGraphId }) => brain !== undefined || knowledgeGraphId !== undefined, {
      path: ['brain'],
      message: 'Name a Brain: by its handle as brain, or by its id as knowledgeGraphId.',
    }),
  errors: [...lockErrors, 'not_found', 'too_many_triggers', 'agent_archived'],
  status: [201],
  result: listedTrigger,
})

export const getTrigger = defineEndpoint({
  method: 'GET',
  path: `${path}/{id}`,
  summary: 'Read a trigger',
  description: 'Reads a trigger, with what became of it.',
  access: 'management',
  status: [200],
  result: listedTrigger,
})

export const patchTrigger = defineEndpoint({
  method: 'PATCH',
  path: `${path}/{id}`,
  summary: 'Change a trigger',
  description:
    'Changes a trigger; omitted properties stay. A disabled one goes on with the next event once it is enabled: events ' +
    'in between start nothing. A paused one goes on at its position.',
  access: 'management',
  body: z.object({
    agentId: id.optional().describe('The id of the agent.'),
    name: name.optional(),
    expectedOutcome: expectedOutcome.optional().describe('The goal of the run, for the model.'),
    requiredAccess: agentAccess.optional(),
    enabled: z.boolean().optional().describe('True if it is active.'),
    kindScopes: kindScopes.optional().describe('The kinds of records whose changes start a run.'),
  }),
  errors: [...lockErrors, 'agent_archived'],
  status: [200],
  result: listedTrigger,
})

export const deleteTrigger = defineEndpoint({
  method: 'DELETE',
  path: `${path}/{id}`,
  summary: 'Delete a trigger',
  description: 'Deletes a trigger. The runs that it started go on.',
  access: 'management',
  status: [200],
  result: deletedResult,
})
