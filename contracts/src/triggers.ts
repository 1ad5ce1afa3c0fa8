import { z } from 'zod'
import { agentAccess } from './agents.ts'
import { timestamp } from './common.ts'
import { defineEndpoint } from './endpoint.ts'
import { lockErrors } from './error-codes.ts'
import { kind } from './records.ts'

// Triggers start runs of an agent when something happens in a Brain.

const name = z.string().trim().min(1, 'A name has 1 to 200 characters.').max(200, 'A name has 1 to 200 characters.')
const id = z.string().min(1).max(200)
const expectedOutcome = z.string().max(4_000, 'expectedOutcome has at most 4,000 characters.')

/** The most kinds that one trigger names. */
export const maxKindScopes = 50

/**
 * What a trigger looks at: records of a kind, what is stated about them, and their dates that are reached. `statement` stands
 * for every statement and `document` for every document.
 */
const kindScope = z.object({ entityKind: kind })
const kindScopes = z.array(kindScope).max(maxKindScopes, `A trigger names at most ${maxKindScopes} kinds.`)

/**
 * A trigger: `knowledgeGraphId` is the id of the Brain. A run that it starts may go as far as the agent's own access to its
 * Brains and `requiredAccess` both allow. Without kindScopes it looks at every kind.
 */
export const trigger = z.object({
  id: z.string(),
  knowledgeGraphId: z.string(),
  agentId: z.string(),
  name: z.string(),
  expectedOutcome: z.string(),
  requiredAccess: agentAccess,
  enabled: z.boolean(),
  kindScopes: z.array(kindScope),
})
export type Trigger = z.infer<typeof trigger>

/**
 * A trigger with what became of it: the run that it started last, and why it starts none at the moment, if so. It goes on from
 * where it stands: by itself once a cap allows, otherwise when it is changed.
 */
export const listedTrigger = z.object({
  trigger,
  lastRunId: z.string().optional(),
  lastFiredAt: timestamp.optional(),
  paused: z.object({ reason: z.string() }).optional(),
})
export type ListedTrigger = z.infer<typeof listedTrigger>

const path = '/v1/automations/triggers' as const

/** Lists an organization's triggers. */
export const listTriggers = defineEndpoint({
  method: 'GET',
  path,
  summary: "List the organization's triggers",
  access: 'management',
  status: [200],
  result: z.object({ triggers: z.array(listedTrigger) }),
})

/**
 * Makes a trigger. From the moment that it is enabled, each event of a record, statement or document of its kinds starts one
 * run of the agent, in the order of the events. What its own runs write starts none, also when a person publishes, splits,
 * edits or reverts it later; triggers that start each other end after three runs in a row.
 */
export const createTrigger = defineEndpoint({
  method: 'POST',
  path,
  summary: 'Start runs of an agent on events of a Brain',
  access: 'management',
  body: z.object({
    knowledgeGraphId: id,
    agentId: id,
    name,
    expectedOutcome: expectedOutcome.default(''),
    requiredAccess: agentAccess.default('read_only'),
    enabled: z.boolean().default(true),
    kindScopes: kindScopes.default([]),
  }),
  errors: [...lockErrors, 'not_found', 'too_many_triggers', 'agent_archived'],
  status: [201],
  result: listedTrigger,
})

/**
 * Changes a trigger; what is left out stays. One that was disabled goes on with the next event once it is enabled: what
 * happened meanwhile starts nothing. One that is paused goes on from where it stands.
 */
export const patchTrigger = defineEndpoint({
  method: 'PATCH',
  path: `${path}/{id}`,
  summary: 'Change a trigger',
  access: 'management',
  body: z.object({
    agentId: id.optional(),
    name: name.optional(),
    expectedOutcome: expectedOutcome.optional(),
    requiredAccess: agentAccess.optional(),
    enabled: z.boolean().optional(),
    kindScopes: kindScopes.optional(),
  }),
  errors: [...lockErrors, 'agent_archived'],
  status: [200],
  result: listedTrigger,
})

/** Deletes a trigger. The runs that it started go on. */
export const deleteTrigger = defineEndpoint({
  method: 'DELETE',
  path: `${path}/{id}`,
  summary: 'Delete a trigger',
  access: 'management',
  status: [200],
  result: z.object({ deleted: z.literal(true) }),
})
