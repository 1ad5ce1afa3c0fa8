import { z } from 'zod'
import { handle } from './brains.ts'
import { actor, displayName, itemId, itemVersion, listQuery, pageResult, timestamp } from './common.ts'
import { corpusName } from './corpora.ts'
import { defineEndpoint } from './endpoint.ts'
import { agentErrors } from './error-codes.ts'
import { isObject } from './json.ts'
import { agentSkill, newAgentSkill } from './skills.ts'

// Agents: instructions for a language model, with tools and Brains. An agent changes by getting a next version; a run keeps
// the version that it was started with.

/** The built-in model: it needs no provider, searches the agent's Brains and answers with quotes from them. */
export const extractiveModel = 'noema/extractive'

/** Every model that is built in. */
export const builtinModels: readonly string[] = [extractiveModel]

/** The largest limits of a run, and the defaults for agents that set none. */
export const maxAgentLimits = { maxSteps: 1_000, maxCostCents: 100_000_000, timeoutSeconds: 86_400 } as const
export const defaultAgentLimits = { maxSteps: 20, timeoutSeconds: 600 } as const

/** Maximum number of tools and of Brains of an agent, and maximum size of the JSON text of its outputSchema. */
export const maxAgentTools = 64
export const maxAgentBrains = 20
export const maxAgentCorpora = 4
export const maxAgentSkills = 20
export const maxOutputSchemaBytes = 64 * 1024

/** Of how many connectors an agent may have tools. */
export const maxAgentConnectors = 16

const name = z
  .string()
  .trim()
  .min(1, 'A name has 1 to 200 characters.')
  .max(200, 'A name has 1 to 200 characters.')
  .describe('The name, for people.')
const id = z.string().min(1).max(200)

/** A language model: `provider/model` by the name of a provider of the organization, or `noema/extractive`. */
export const modelName = z
  .string()
  .max(200, 'A model has at most 200 characters.')
  .regex(
    /^[a-z0-9][a-z0-9_-]{0,62}\/[\x21-\x7e]+$/,
    `A model is a provider's name and its model, such as openai/gpt-5.4, or ${extractiveModel}.`,
  )
  .describe('The model, as `provider/model`, or `noema/extractive`, which needs no provider.')

/** An agent's access to a Brain. Its reads leave receipts, its writes are changes of the run. */
export const agentAccess = z
  .enum(['read_only', 'read_write'])
  .describe('Whether runs may only read the Brain or also write to it.')
export type AgentAccess = z.infer<typeof agentAccess>

/** The tools that the service itself has for agents, besides those of Brains and corpora. */
export const builtinTools = ['ask_human', 'artifact_read', 'artifact_write', 'run_code'] as const

export const agentTool = z
  .union(
    [
      z.enum(builtinTools),
      z.strictObject({
        connector: id.describe('The connector.'),
        allow: z
          .array(z.string().min(1).max(128))
          .min(1)
          .max(64)
          .optional()
          .describe('The names of the tools that may be used; all of them without it.'),
      }),
      z.strictObject({ agent: id.describe('The agent.') }),
    ],
    {
      error:
        'A tool is "ask_human", "artifact_read", "artifact_write", { "connector": "<id>", "allow"?: [names] } or { "agent": "<id>" }.',
    },
  )
  .describe(
    'A tool besides those of the Brains: `ask_human` asks a person and waits for the answer; `artifact_read` reads the ' +
      "organization's files; `artifact_write` writes files in the folder of the run; a connector's tools, all or those " +
      "that `allow` names; another agent, whose run's output is the answer.",
  )
export type AgentTool = z.infer<typeof agentTool>

const brainAccess = z.object({
  handle,
  access: agentAccess.default('read_only').describe('Whether the agent may only read the Brain or also write to it.'),
})

/** A Brain that an agent may reach. It was found by its handle once and is known by its id since. */
const pinnedBrain = z.object({
  id: itemId,
  handle: z.string().describe('The name of the Brain in addresses. It is its identity.'),
  access: agentAccess.describe('Whether the agent may only read the Brain or also write to it.'),
})

/**
 * The schema of a run's output: a JSON Schema of an object (2020-12), without references to other documents. The error names
 * the supported keywords, and the largest depth and size.
 */
const outputSchema = z
  .custom<{ [name: string]: unknown }>(isObject, 'outputSchema is a JSON Schema: an object.')
  .meta({ type: 'object', description: 'A JSON Schema of an object' })

const limitsInput = z.object({
  maxSteps: z.int().min(1).max(maxAgentLimits.maxSteps).optional().describe('The maximum number of steps of a run.'),
  maxCostCents: z
    .int()
    .min(1)
    .max(maxAgentLimits.maxCostCents)
    .nullable()
    .optional()
    .describe('The maximum cost of a run, in US cents.'),
  timeoutSeconds: z
    .int()
    .min(1)
    .max(maxAgentLimits.timeoutSeconds)
    .optional()
    .describe('How long a run may take, in seconds. Waiting for people does not count.'),
})

export const agentLimits = z
  .object({
    maxSteps: z.int().describe('The maximum number of steps of a run.'),
    maxCostCents: z.int().optional().describe('The maximum cost of a run, in US cents.'),
    timeoutSeconds: z.int().describe('How long a run may take, in seconds. Waiting for people does not count.'),
  })
  .describe(
    'The limits of a run: calls of its model, costs (of it and of the runs that it starts; no limit if left out), and ' +
      'working time. Waiting for people does not count.',
  )

export const agentDefinition = z
  .object({
    name: displayName,
    instructions: z.string().describe('The instructions that the agent gets in every run.'),
    model: z.string().describe('The model, as `provider/model`, or `noema/extractive`, which needs no provider.'),
    tools: z.array(agentTool).describe('The tools.'),
    brains: z.array(pinnedBrain).describe('The Brains that the agent may use, and how.'),
    corpora: z.array(z.string()).optional().describe('The names of the corpora that it may read.'),
    skills: z.array(agentSkill).optional().describe('The skills that it may load.'),
    outputSchema: outputSchema.optional(),
    limits: agentLimits.describe('When runs of the agent are stopped.'),
  })
  .describe('One version of the definition of an agent.')
export type AgentDefinition = z.infer<typeof agentDefinition>

export const agent = z
  .object({
    id: itemId,
    version: itemVersion,
    projectId: z.string().describe('The id of the project.'),
    ...agentDefinition.shape,
    createdAt: timestamp,
    updatedAt: timestamp,
    updatedBy: actor.describe('Who changed it last.'),
    archivedAt: timestamp.nullable().describe('When it was archived; null while it is in use.'),
  })
  .describe('An agent in its newest version. `updatedBy` made that version at `updatedAt`.')
export type Agent = z.infer<typeof agent>

export const agentVersion = z
  .object({
    version: itemVersion,
    ...agentDefinition.shape,
    createdAt: timestamp,
    createdBy: actor.describe('Who created it.'),
  })
  .describe('One version of an agent, which never changes.')
export type AgentVersion = z.infer<typeof agentVersion>

const instructions = z
  .string()
  .max(100_000, 'Instructions have at most 100,000 characters.')
  .describe('The instructions that the agent gets in every run.')
const tools = z.array(agentTool).max(maxAgentTools, `An agent has at most ${maxAgentTools} tools.`)
const brains = z.array(brainAccess).max(maxAgentBrains, `An agent reaches at most ${maxAgentBrains} Brains.`)

const corpora = z
  .array(corpusName)
  .max(maxAgentCorpora, `An agent reads at most ${maxAgentCorpora} corpora.`)
  .optional()
  .describe('The names of the corpora that the agent may read: as far as the person who starts the run may.')

const skills = z
  .array(newAgentSkill)
  .max(maxAgentSkills, `An agent uses at most ${maxAgentSkills} skills.`)
  .optional()
  .describe('The skills that it may load, of Brains that the starter of a run may read.')

const path = '/v1/agents' as const
const result = z.object({ agent: agent.describe('The agent.') }).describe('The agent.')

export const createAgent = defineEndpoint({
  method: 'POST',
  path,
  summary: 'Create an agent',
  description:
    'Makes an agent, in the default project if none is named. Tools, Brains, agents and providers that are not there ' +
    'are 400, with what there is.',
  access: 'management',
  body: z.object({
    name,
    instructions,
    model: modelName,
    projectId: id.optional().describe('The id of the project; without it, the default one.'),
    tools: tools.default([]).describe('The tools.'),
    brains: brains.default([]).describe('The Brains that the agent may use, and how.'),
    corpora,
    skills,
    outputSchema: outputSchema.optional(),
    limits: limitsInput.default({}).describe('When runs of the agent are stopped.'),
  }),
  errors: [...agentErrors, 'not_found'],
  status: [201],
  result,
})

export const listAgents = defineEndpoint({
  method: 'GET',
  path,
  summary: "List the organization's agents",
  description: "Lists an organization's agents: all, or only those that are archived or not, or those of a project.",
  access: 'management',
  query: z.object({
    ...listQuery,
    projectId: id.optional().describe('Only those of this project.'),
    archived: z
      .enum(['true', 'false'], { error: 'archived is true or false.' })
      .optional()
      .describe('Whether archived ones are listed, too.'),
  }),
  status: [200],
  list: 'agents',
  result: z.object({ agents: z.array(agent).describe('The agents.'), ...pageResult }),
})

export const getAgent = defineEndpoint({
  method: 'GET',
  path: `${path}/{id}`,
  summary: 'Read an agent',
  description: 'Reads an agent, archived ones too.',
  access: 'management',
  status: [200],
  result,
})

export const patchAgent = defineEndpoint({
  method: 'PATCH',
  path: `${path}/{id}`,
  summary: 'Change an agent by a new version',
  description:
    'Makes the next version of an agent: what is left out stays, `null` removes outputSchema or maxCostCents. Runs ' +
    'go on with the version they began with. A change of nothing makes no version. An archived agent is 409.',
  access: 'management',
  body: z.object({
    name: name.optional(),
    instructions: instructions.optional(),
    model: modelName.optional(),
    tools: tools.optional().describe('The tools.'),
    brains: brains.optional().describe('The Brains that the agent may use, and how.'),
    corpora,
    skills,
    outputSchema: outputSchema
      .nullable()
      .optional()
      .describe('A JSON Schema that the output must match; null for text.'),
    limits: limitsInput.optional().describe('When runs of the agent are stopped.'),
  }),
  errors: agentErrors,
  status: [200],
  result,
})

export const listAgentVersions = defineEndpoint({
  method: 'GET',
  path: `${path}/{id}/versions`,
  summary: 'List the versions of an agent',
  description: 'Lists the versions of an agent.',
  access: 'management',
  query: z.object(listQuery),
  status: [200],
  list: 'versions',
  result: z.object({
    versions: z.array(agentVersion).describe('The versions of this page.'),
    ...pageResult,
  }),
})

export const deleteAgent = defineEndpoint({
  method: 'DELETE',
  path: `${path}/{id}`,
  summary: 'Archive an agent',
  description: 'Archives an agent: its runs end as abandoned, and no new one can be started. It can still be read.',
  access: 'management',
  status: [200],
  result,
})
