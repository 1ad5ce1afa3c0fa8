import { z } from 'zod'
import { modelName } from './agents.ts'
import { handle } from './brains.ts'
import { defineEndpoint } from './endpoint.ts'
import { agentErrors, contentErrors, schemaErrors } from './error-codes.ts'

// Packs come with the service: kinds, agents, triggers and a little sample content that belong together.

/** A pack's name, as its path has it. */
const packName = z.string().meta({ description: 'Such as people-and-conversations' })

/** What a pack brings: kinds for the schema, agents, triggers that start them, and how much sample content. */
export const pack = z.object({
  name: packName,
  title: z.string(),
  description: z.string(),
  kinds: z.array(z.object({ kind: z.string(), description: z.string() })),
  agents: z.array(z.object({ name: z.string(), description: z.string(), access: z.enum(['read_only', 'read_write']) })),
  triggers: z.array(z.object({ name: z.string(), agent: z.string(), expectedOutcome: z.string() })),
  sample: z.object({ records: z.int(), statements: z.int(), documents: z.int() }),
})
export type Pack = z.infer<typeof pack>

/**
 * One thing that a pack brought. `staged`: it waits for review as `change`. `present`: it was there already, by an earlier
 * install or because the Brain has all of it. `id` is the agent's, the trigger's or the Brain's.
 */
export const installedItem = z.object({
  type: z.enum(['brain', 'agent', 'trigger', 'schema', 'sample']),
  name: z.string(),
  outcome: z.enum(['created', 'staged', 'present']),
  id: z.string().optional(),
  change: z.string().optional(),
})
export type InstalledItem = z.infer<typeof installedItem>

const path = '/v1/packs' as const

/** Lists the packs that come with the service. */
export const listPacks = defineEndpoint({
  method: 'GET',
  path,
  summary: 'List the packs that can be installed',
  access: 'management',
  status: [200],
  result: z.object({ packs: z.array(pack) }),
})

/**
 * Installs a pack on a Brain: `brain` is its handle, the pack's name if left out. Where there is none it is made, in review
 * mode. Agents and triggers are made at once; kinds and sample content wait for review, in a Brain of any mode. `model` is that
 * of the agents, `noema/extractive` if left out. Installing again makes what is missing and nothing twice: agents that were
 * changed, and proposals that were decided, stay as they are.
 */
export const installPack = defineEndpoint({
  method: 'POST',
  path: `${path}/{name}/install`,
  summary: 'Install a pack on a Brain',
  access: 'management',
  makesBrain: true,
  body: z.object({ brain: handle.optional(), model: modelName.optional() }),
  bodyOptional: true,
  errors: [...contentErrors, ...agentErrors, ...schemaErrors, 'brain_cap', 'too_many_triggers'],
  status: [200],
  result: z.object({
    installed: z.object({
      pack: packName,
      brain: z.object({ id: z.string(), handle }),
      items: z.array(installedItem),
    }),
  }),
})
