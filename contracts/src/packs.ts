import { z } from 'zod'
import { modelName } from './agents.ts'
import { handle } from './brains.ts'
import { deletedResult, displayName, itemId, itemVersion, wholeNumber } from './common.ts'
import { defineEndpoint } from './endpoint.ts'
import { agentErrors, contentErrors, evalErrors, schemaErrors } from './error-codes.ts'
import { isObject } from './json.ts'
import { type PackFileInput, packName, packParameter, parameterValue } from './pack-files.ts'

// Packs: kinds, agents, triggers, skills, rubrics, evals and content that belong together. Some come with the service, others are an organization's.

export const pack = z
  .object({
    name: packName,
    version: itemVersion,
    isOwn: z.boolean().describe('True if it is a pack of the organization.'),
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
            .enum(['none', 'read_only', 'read_write'])
            .describe('Whether the agent may only read the Brain or also write to it, or has no access.'),
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
    parameters: z.array(packParameter).describe('The values that an install fills in.'),
    skills: z.array(z.string()).describe('The names of its skills.'),
    rubrics: z.array(z.string()).describe('The names of its rubrics.'),
    evals: z.array(z.string()).describe('The names of its evals.'),
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
 * One thing that a pack brought. `staged`: it waits for review as `change`. `updated`: it has a next version. `present`: it was there
 * already, by an earlier install or because the Brain has all of it. `id` is that of the agent, the trigger, the eval or the Brain, or
 * the name of the rubric.
 */
export const installedItem = z.object({
  type: z.enum(['brain', 'agent', 'trigger', 'rubric', 'eval', 'schema', 'sample']).describe('The type.'),
  name: displayName,
  outcome: z
    .enum(['created', 'updated', 'staged', 'present'])
    .describe('The outcome of the item: created, updated to a next version, staged for review, or present before.'),
  id: z.string().optional().describe('The id. It never changes.'),
  change: z.string().optional().describe('The change.'),
})
export type InstalledItem = z.infer<typeof installedItem>

const path = '/v1/packs' as const

const givenVersion = wholeNumber('version is a whole number, 1 or more.', { min: 1, max: 999_999_999 }).optional()

/** The file is checked by `packFile` of pack-files.ts, whose JSON Schema the service serves. */
const file = z
  .custom<PackFileInput>(isObject, 'The file of a pack is an object.')
  .meta({ type: 'object', description: 'The file of the pack, as `GET /v1/pack-schema` describes it.' })

export const listPacks = defineEndpoint({
  method: 'GET',
  path,
  summary: 'List the packs that can be installed',
  description: 'Lists the packs that come with the service, and those of the organization.',
  access: 'management',
  status: [200],
  result: z.object({ packs: z.array(pack).describe('The packs.') }),
})

export const getPack = defineEndpoint({
  method: 'GET',
  path: `${path}/{name}`,
  summary: 'Read a pack',
  description: 'Reads a pack with its file: the newest version, or a numbered one.',
  access: 'management',
  query: z.object({ version: givenVersion.describe('A version.') }),
  status: [200],
  result: z.object({ pack: pack.describe('The pack.'), file }),
})

const parts = (what: string) => z.array(z.looseObject({})).optional().describe(`The ${what}.`)

/** The outline of a file. `packFile` checks its parts, which would be most of the reference. */
const packBody = z
  .strictObject({
    title: z.string().describe('The title, for people.'),
    description: z.string().describe('The purpose, in a sentence or two.'),
    purpose: z.string().describe('The purpose of the Brain if the install makes it.'),
    parameters: parts('parameters'),
    kinds: parts('kinds'),
    agents: parts('agents'),
    triggers: parts('triggers'),
    skills: parts('skills'),
    rubrics: parts('rubrics'),
    evals: parts('evals'),
    sample: parts('content that the install proposes'),
  })
  .describe('The file of the pack, as `GET /v1/pack-schema` describes it.')

export const putPack = defineEndpoint({
  method: 'PUT',
  path: `${path}/{name}`,
  summary: 'Create a pack, or its next version',
  description:
    'Stores a file as a pack of the organization. A file that differs makes the next version; the last 20 are kept. An ' +
    'organization has at most 50 packs and 32 MiB.',
  access: 'management',
  body: packBody,
  errors: ['conflict', 'too_many_packs'],
  status: [200, 201],
  result: z.object({ pack: pack.describe('The pack.') }),
})

export const deletePack = defineEndpoint({
  method: 'DELETE',
  path: `${path}/{name}`,
  summary: 'Delete a pack',
  description: 'Deletes a pack of the organization with its versions. What it brought to Brains stays.',
  access: 'management',
  errors: ['conflict'],
  status: [200],
  result: deletedResult,
})

export const getPackSchema = defineEndpoint({
  method: 'GET',
  path: '/v1/pack-schema',
  summary: 'Read the JSON Schema of packs',
  description: 'Reads the JSON Schema (2020-12) of the file of a pack, for editors and other programs.',
  access: 'public',
  status: [200],
  result: z.object({
    schema: z.custom<object>(isObject).meta({ type: 'object', description: 'The JSON Schema.' }),
  }),
})

export const installPack = defineEndpoint({
  method: 'POST',
  path: `${path}/{name}/install`,
  summary: 'Install a pack on a Brain',
  description:
    "Installs a pack on a Brain: `brain` is its handle, the pack's name if left out. If there is none, the install makes it, " +
    'in review mode. Agents and triggers are made at once; kinds and sample content wait for review, in a Brain of ' +
    'any mode. `model` is that of the agents, `noema/extractive` if left out. Another install adds missing items. One of ' +
    'another version, or with other values, makes the next version of agents, rubrics and evals that no one has changed ' +
    'since: changed ones and decided proposals stay as they are.',
  access: 'management',
  makesBrain: true,
  body: z.object({
    brain: handle.optional().describe('The handle of the Brain to install into. It is created if it does not exist.'),
    model: modelName.optional(),
    version: z
      .int()
      .min(1)
      .max(999_999_999)
      .optional()
      .describe('The version. Without it, the one that the Brain has, else the newest.'),
    parameters: z
      .record(z.string().max(100), parameterValue)
      .optional()
      .describe('Values of the parameters, by name. Without one, the last install or the default gives it.'),
  }),
  bodyOptional: true,
  errors: [
    ...contentErrors,
    ...agentErrors,
    ...schemaErrors,
    ...evalErrors,
    'brain_cap',
    'handle_taken',
    'too_many_triggers',
    'too_many_rubrics',
  ],
  status: [200],
  result: z.object({
    installed: z
      .object({
        pack: packName,
        version: itemVersion,
        brain: z.object({ id: itemId, handle }).describe('The Brain.'),
        items: z.array(installedItem).describe('The items.'),
      })
      .describe('The installed items.'),
  }),
})

/** The endpoints of packs by the names that clients have for them. */
export const packEndpoints = {
  list: listPacks,
  get: getPack,
  put: putPack,
  delete: deletePack,
  install: installPack,
  schema: getPackSchema,
} as const
