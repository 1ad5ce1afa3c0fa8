import { z } from 'zod'
import { actor, deletedResult, itemVersion, listQuery, pageResult, timestamp } from './common.ts'
import { defineEndpoint } from './endpoint.ts'

// Rubrics: named lists of criteria by which a model judges answers. A rubric changes by getting a next version; a run of an eval keeps
// the version that it was started with.

/** The most criteria of a rubric. */
export const maxCriteria = 20

/** The name of a rubric in its organization. Those that begin with `noema-` are included. */
export const rubricName = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]{0,62}$/, 'The name of a rubric has 1 to 63 of a-z, 0-9 and -, and does not begin with -.')

/** The beginning of the names of included rubrics. */
export const includedPrefix = 'noema-'

export const criterion = z
  .strictObject({
    id: z
      .string()
      .regex(/^[a-z0-9][a-z0-9_-]{0,62}$/, 'The id of a criterion has 1 to 63 of a-z, 0-9, _ and -.')
      .describe('The id.'),
    text: z.string().min(1).max(2_000).describe('What the answer has to do.'),
    weight: z.number().min(0).max(100).default(1).describe('Its share of the score.'),
    required: z.boolean().default(false).describe('True if no answer passes without it.'),
  })
  .describe('A criterion of a rubric.')
export type Criterion = z.output<typeof criterion>

export const criteria = z
  .array(criterion)
  .min(1, 'A rubric has at least one criterion.')
  .max(maxCriteria, `A rubric has at most ${maxCriteria} criteria.`)
  .refine(
    (list) => new Set(list.map(({ id }) => id)).size === list.length,
    'Two criteria have the same id. Give each criterion its own.',
  )
  .refine((list) => list.some(({ weight }) => weight > 0), 'One criterion at least has a weight above 0.')
  .describe('The criteria.')

export const rubric = z
  .object({
    name: rubricName.describe('The name.'),
    version: itemVersion,
    criteria: z.array(criterion).describe('The criteria.'),
    included: z.boolean().describe('True if it comes with the service, and cannot be changed.'),
    updatedAt: timestamp.nullable().describe('When this version was made; null if it is included.'),
    updatedBy: actor.optional().describe('Who made this version.'),
  })
  .describe('A rubric in one version.')
export type Rubric = z.infer<typeof rubric>

const path = '/v1/rubrics/{name}' as const
const result = z.object({ rubric: rubric.describe('The rubric.') }).describe('The rubric.')

export const putRubric = defineEndpoint({
  method: 'PUT',
  path,
  summary: 'Create or change a rubric',
  description: 'Makes a rubric, or its next version. A repeat makes none. Names that begin with `noema-` are taken.',
  access: 'management',
  body: z.object({
    criteria,
    version: z
      .int()
      .min(0)
      .optional()
      .describe('The version that is changed, 0 for a new rubric; if there is another one, 409.'),
  }),
  errors: ['too_many_rubrics', 'stale_version'],
  status: [200, 201],
  result,
})

export const listRubrics = defineEndpoint({
  method: 'GET',
  path: '/v1/rubrics',
  summary: 'List the rubrics',
  description: 'Lists the rubrics of the organization and those that are included, by name.',
  access: 'management',
  query: z.object(listQuery),
  status: [200],
  list: 'rubrics',
  result: z.object({ rubrics: z.array(rubric).describe('The rubrics of this page.'), ...pageResult }),
})

export const getRubric = defineEndpoint({
  method: 'GET',
  path,
  summary: 'Read a rubric',
  description: 'Reads a rubric in its newest version.',
  access: 'management',
  status: [200],
  result,
})

export const listRubricVersions = defineEndpoint({
  method: 'GET',
  path: `${path}/versions`,
  summary: 'List the versions of a rubric',
  description: 'Lists the versions of a rubric.',
  access: 'management',
  query: z.object(listQuery),
  status: [200],
  list: 'versions',
  result: z.object({ versions: z.array(rubric).describe('The versions of this page.'), ...pageResult }),
})

export const deleteRubric = defineEndpoint({
  method: 'DELETE',
  path,
  summary: 'Delete a rubric',
  description: 'Deletes a rubric with its versions. An eval that names it cannot be run until there is one again.',
  access: 'management',
  status: [200],
  result: deletedResult,
})

/** The endpoints about rubrics, by their names in the table of the API. */
export const rubricEndpoints = {
  put: putRubric,
  list: listRubrics,
  get: getRubric,
  versions: listRubricVersions,
  delete: deleteRubric,
} as const
