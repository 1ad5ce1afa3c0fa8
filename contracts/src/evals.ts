import { z } from 'zod'
import { handle } from './brains.ts'
import {
  actor,
  displayName,
  itemId,
  itemVersion,
  json,
  listQuery,
  pageResult,
  timestamp,
  wholeNumber,
} from './common.ts'
import { corpusName } from './corpora.ts'
import { defineEndpoint } from './endpoint.ts'
import { evalErrors } from './error-codes.ts'
import { evalRunEndpoints, singleEvalRunEndpoints } from './eval-runs.ts'
import { expectation, grader, maxGraders } from './graders.ts'
import { rubricEndpoints } from './rubrics.ts'
import { minEvidence, searchMode } from './search.ts'

// Evals: cases with what is expected of an agent, a Brain or a corpus, and the graders that decide. An eval changes by getting a next
// version; a run keeps the version that it was started with.

/** The most cases of an eval, and the bytes of JSON text that all of them and the definition may have together. */
export const maxCases = 1_000
export const maxEvalBytes = 1024 * 1024

/** The most characters of the input of a case. */
export const maxCaseInput = 20_000

const name = z
  .string()
  .trim()
  .min(1, 'A name has 1 to 200 characters.')
  .max(200, 'A name has 1 to 200 characters.')
  .describe('The name, for people.')

export const evalCase = z
  .strictObject({
    id: z
      .string()
      .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/, 'The id of a case has 1 to 64 of A-Z, a-z, 0-9, ., _ and -.')
      .describe('The id. It names the case in all versions and runs.'),
    input: z.string().min(1).max(maxCaseInput).describe('What the agent is asked, or what is searched for.'),
    expected: expectation.optional(),
    metadata: z.record(z.string().max(100), json).optional().describe('Anything about the case.'),
  })
  .describe('A question, and what is expected of its answer.')
export type EvalCase = z.output<typeof evalCase>

export const readOfTarget = {
  read: z.enum(['search', 'context']).describe('How it is read.'),
  mode: searchMode.optional().describe('How to search: by words, by meaning, or both.'),
  limit: z.int().min(1).max(50).optional().describe('The maximum number of items.'),
  minEvidence: minEvidence.optional().describe('Leaves out items with less evidence than this.'),
  rerank: z.boolean().optional().describe('Has the best results put in order by the reranker of the service.'),
}

export const newTarget = z
  .union(
    [
      z.strictObject({ agentId: z.string().min(1).max(200).describe('The id of the agent.') }),
      z.strictObject({ brain: handle, ...readOfTarget }),
      z.strictObject({ corpus: corpusName.describe('The name of the corpus.'), ...readOfTarget }),
    ],
    { error: 'target is { agentId }, { brain, read } or { corpus, read }.' },
  )
  .describe('What is tested: an agent, or reads of a Brain or a corpus.')

export const evalTarget = z
  .union([
    z.object({ agentId: z.string().describe('The id of the agent.') }),
    z.object({
      brainId: z.string().describe('The id of the Brain.'),
      brain: z.string().describe('Its handle.'),
      ...readOfTarget,
    }),
    z.object({ corpus: z.string().describe('The name of the corpus.'), ...readOfTarget }),
  ])
  .describe('What is tested: an agent, or reads of a Brain or a corpus.')
export type EvalTarget = z.infer<typeof evalTarget>

export const graders = z
  .array(grader)
  .min(1, 'An eval has at least one grader.')
  .max(maxGraders, `An eval has at most ${maxGraders} graders.`)
  .describe('The graders. A case passes if all of them that grade it pass.')

export const evalDefinition = z
  .object({
    name: displayName,
    target: evalTarget,
    graders: z.array(grader).describe('The graders.'),
  })
  .describe('One version of the definition of an eval.')
export type EvalDefinition = z.infer<typeof evalDefinition>

export const evalView = z
  .object({
    id: itemId,
    version: itemVersion,
    ...evalDefinition.shape,
    cases: z.int().describe('How many cases it has.'),
    createdAt: timestamp,
    updatedAt: timestamp,
    updatedBy: actor.describe('Who changed it last.'),
    archivedAt: timestamp.nullable().describe('When it was archived; null while it is in use.'),
  })
  .describe('An eval in its newest version.')
export type Eval = z.infer<typeof evalView>

export const evalVersion = z
  .object({
    version: itemVersion,
    ...evalDefinition.shape,
    cases: z.int().describe('How many cases it has.'),
    createdAt: timestamp,
    createdBy: actor.describe('Who created it.'),
  })
  .describe('One version of an eval, which never changes.')
export type EvalVersion = z.infer<typeof evalVersion>

export const cases = z
  .array(evalCase)
  .min(1, 'There is at least one case.')
  .max(maxCases, `An eval has at most ${maxCases} cases.`)
  .refine(
    (list) => new Set(list.map(({ id }) => id)).size === list.length,
    'Two cases have the same id. Give each case its own.',
  )
  .describe('The cases.')

/** The version that a change is made to: another one is refused. */
const ifVersion = z.int().min(1).optional().describe('The version that is changed; if there is a newer one, 409.')

const path = '/v1/evals' as const
const result = z.object({ eval: evalView.describe('The eval.') }).describe('The eval.')

export const createEval = defineEndpoint({
  method: 'POST',
  path,
  summary: 'Create an eval',
  description:
    'Makes an eval. What it names is looked up now; what is not there, or not open to you, is 400. A grader that ' +
    'does not fit the target is 400: `cited`, `operations` are for agents, `evidence` for reads.',
  access: 'management',
  body: z.object({ name, target: newTarget, cases, graders }),
  errors: [...evalErrors, 'not_found'],
  status: [201],
  result,
})

export const listEvals = defineEndpoint({
  method: 'GET',
  path,
  summary: "List the organization's evals",
  description: "Lists an organization's evals by id, without their cases.",
  access: 'management',
  query: z.object({
    ...listQuery,
    archived: z.enum(['true', 'false']).optional().describe('Only archived ones, or only others.'),
  }),
  status: [200],
  list: 'evals',
  result: z.object({ evals: z.array(evalView).describe('The evals.'), ...pageResult }),
})

export const getEval = defineEndpoint({
  method: 'GET',
  path: `${path}/{id}`,
  summary: 'Read an eval',
  description: 'Reads an eval, archived ones too. Its cases are a list.',
  access: 'management',
  status: [200],
  result,
})

export const patchEval = defineEndpoint({
  method: 'PATCH',
  path: `${path}/{id}`,
  summary: 'Change an eval by a new version',
  description:
    'Makes the next version: what is left out stays, `cases` replaces all of them. A change of nothing makes no version.',
  access: 'management',
  body: z.object({
    name: name.optional(),
    target: newTarget.optional(),
    cases: cases.optional(),
    graders: graders.optional(),
    version: ifVersion,
  }),
  errors: [...evalErrors, 'stale_version'],
  status: [200],
  result,
})

export const addEvalCases = defineEndpoint({
  method: 'POST',
  path: `${path}/{id}/cases`,
  summary: 'Add cases to an eval',
  description:
    'Makes the next version with these cases, which replace those with the same ids; `remove` leaves others out.',
  access: 'management',
  body: z.object({
    cases: z.array(evalCase).max(maxCases).default([]).describe('The cases.'),
    remove: z.array(z.string().min(1).max(64)).max(maxCases).default([]).describe('The ids of cases to leave out.'),
    version: ifVersion,
  }),
  errors: [...evalErrors, 'stale_version'],
  status: [200],
  result,
})

export const deleteEval = defineEndpoint({
  method: 'DELETE',
  path: `${path}/{id}`,
  summary: 'Archive an eval',
  description: 'Archives an eval: its runs are canceled, and no new one can be started. It can still be read.',
  access: 'management',
  status: [200],
  result,
})

export const listEvalVersions = defineEndpoint({
  method: 'GET',
  path: `${path}/{id}/versions`,
  summary: 'List the versions of an eval',
  description: 'Lists the versions of an eval.',
  access: 'management',
  query: z.object(listQuery),
  status: [200],
  list: 'versions',
  result: z.object({ versions: z.array(evalVersion).describe('The versions of this page.'), ...pageResult }),
})

export const listEvalCases = defineEndpoint({
  method: 'GET',
  path: `${path}/{id}/cases`,
  summary: 'List the cases of an eval',
  description: 'Lists the cases by their ids, of the newest version or another one.',
  access: 'management',
  query: z.object({
    ...listQuery,
    version: wholeNumber('version is a whole number from 1.', { min: 1, max: 1_000_000_000 })
      .optional()
      .describe('The version; the newest without it.'),
  }),
  status: [200],
  list: 'cases',
  result: z.object({ cases: z.array(evalCase).describe('The cases of this page.'), ...pageResult }),
})

/** The endpoints about evals, by their names in the table of the API. */
const evalEndpoints = {
  create: createEval,
  list: listEvals,
  get: getEval,
  patch: patchEval,
  addCases: addEvalCases,
  delete: deleteEval,
  versions: listEvalVersions,
  cases: listEvalCases,
  ...evalRunEndpoints,
} as const

/** The endpoints about evals, their runs and rubrics, by area. */
export const evalApi = { evals: evalEndpoints, evalRuns: singleEvalRunEndpoints, rubrics: rubricEndpoints } as const
