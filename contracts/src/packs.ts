import { z } from 'zod'
import { modelName } from './agents.ts'
import { handle } from './brains.ts'
import { displayName, itemId } from './common.ts'
import { defineEndpoint } from './endpoint.ts'
import { agentErrors, contentErrors, schemaErrors } from './error-codes.ts'

// Packs come with the service: kinds, agents, triggers and a little sample content that belong together.

/** A pack's name, as its path has it. */
const packName = z.string().describe('Such as people-and-conversations')

export const pack = z
  .object({
    name: packName,
    title: z.string().describe('The title, for people.'),
    description: z.string().describe('The purpose, in a sentence or two.'),
    kinds: z
      .array(
        z.object({
          kind: z.string().describe('The kind.'),
          description: z.string().describe('The purpose, in a sentence or two.'),
        }),
      )
      .describe('The kinds of records.'),
    agents: z
      .array(
        z.object({
          name: displayName,
          description: z.string().describe('The purpose, in a sentence or two.'),
          access: z
            .enum(['read_only', 'read_write'])
            .describe('Whether the agent may only read the Brain or also write to it.'),
        }),
      )
      .describe('The agents.'),
    triggers: z
      .array(
        z.object({
          name: displayName,
          agent: z.string().describe('The name of the agent in the pack.'),
          expectedOutcome: z.string().describe('The goal of the run, for the model.'),
        }),
      )
      .describe('The triggers.'),
    sample: z
      .object({
        records: z.int().describe('How many records there are.'),
        statements: z.int().describe('How many statements there are.'),
        documents: z.int().describe('How many documents there are.'),
      })
      .describe('How much sample content the pack has.'),
  })
  .describe(
    'The content of a pack: kinds for the schema, agents, triggers that start them, and how much sample content.',
  )
export type Pack = z.infer<typeof pack>

/**
 * One thing that a pack brought. `staged`: it waits for review as `change`. `present`: it was there already, by an earlier
 * install or because the Brain has all of it. `id` is the agent's, the trigger's or the Brain's.
 */
export const installedItem = z.object({
  type: z.enum(['brain', 'agent', 'trigger', 'schema', 'sample']).describe('The type.'),
  name: displayName,
  outcome: z
    .enum(['created', 'staged', 'present'])
    .describe('The outcome of the item: created, staged for review, or present before.'),
  id: z.string().optional().describe('The id. It never changes.'),
  change: z.string().optional().describe('The change.'),
})
export type InstalledItem = z.infer<typeof installedItem>

const path = '/v1/packs' as const

export const listPacks = defineEndpoint({
  method: 'GET',
  path,
  summary: 'List the packs that can be installed',
  description: 'Lists the packs that come with the service.',
  access: 'management',
  status: [200],
  result: z.object({ packs: z.array(pack).describe('The packs.') }),
})

export const getPack = defineEndpoint({
  method: 'GET',
  path: `${path}/{name}`,
  summary: 'Read a pack',
  description: 'Reads a pack that comes with the service.',
  access: 'management',
  status: [200],
  result: z.object({ pack: pack.describe('The pack.') }),
})

export const installPack = defineEndpoint({
  method: 'POST',
  path: `${path}/{name}/install`,
  summary: 'Install a pack on a Brain',
  description:
    "Installs a pack on a Brain: `brain` is its handle, the pack's name if left out. If there is none, the install makes it, " +
    'in review mode. Agents and triggers are made at once; kinds and sample content wait for review, in a Brain of ' +
    'any mode. `model` is that of the agents, `noema/extractive` if left out. Another install adds missing items ' +
    'only: changed agents and decided proposals stay as they are.',
  access: 'management',
  makesBrain: true,
  body: z.object({
    brain: handle.optional().describe('The handle of the Brain to install into. It is created if it does not exist.'),
    model: modelName.optional(),
  }),
  bodyOptional: true,
  errors: [...contentErrors, ...agentErrors, ...schemaErrors, 'brain_cap', 'handle_taken', 'too_many_triggers'],
  status: [200],
  result: z.object({
    installed: z
      .object({
        pack: packName,
        brain: z.object({ id: itemId, handle }).describe('The Brain.'),
        items: z.array(installedItem).describe('The items.'),
      })
      .describe('The installed items.'),
  }),
})
