import { z } from 'zod'
import { contentId } from './common.ts'
import { isObject } from './json.ts'
import { evidence, itemType } from './search.ts'

// Graders decide whether the answer of a case is right. A grader without a value takes the one that the case expects; if the case
// expects none, it does not grade the case.

/** The most graders of an eval. */
export const maxGraders = 20

/** The most characters of a text or pattern of a grader, and of an expected answer. */
export const maxGraderText = 10_000

const text = z.string().min(1).max(maxGraderText)
const texts = z.array(text).min(1).max(100)
const toolNames = z.array(z.string().min(1).max(128)).min(1).max(64)

/** An item of a Brain, as a case expects it. */
export const expectedItem = z
  .object({
    type: itemType.describe('The type.'),
    id: contentId,
    brain: z.string().min(1).max(100).optional().describe('The handle of its Brain; without it, any that was read.'),
  })
  .describe('An item of a Brain.')
export type ExpectedItem = z.infer<typeof expectedItem>

const items = z.array(expectedItem).min(1).max(200)

/** The expectations of a case, for graders without a value. A text alone is the answer. */
export const expectation = z
  .union([
    text,
    z.strictObject({
      answer: text.optional().describe('The whole answer, for `equals`.'),
      contains: texts.optional().describe('Texts that the answer has, for `contains`.'),
      notContains: texts.optional().describe('Texts that it does not have, for `not_contains`.'),
      pattern: text.optional().describe('A regular expression, for `regex`.'),
      found: items.optional().describe('Items that were read, the most important first, for `found`.'),
      notFound: items.optional().describe('Items that were not read, for `not_found`.'),
      evidence: evidence.optional().describe('For `evidence`: at least this much, or `none`.'),
      called: toolNames.optional().describe('Tools that were called, for `operations`.'),
      notCalled: toolNames.optional().describe('Tools that were not called, for `operations`.'),
    }),
  ])
  .describe('What is expected: the answer as a text, or what each sort of grader expects.')
export type Expectation = z.infer<typeof expectation>

const common = {
  name: z
    .string()
    .regex(/^[a-z0-9][a-z0-9_-]{0,62}$/, 'The name of a grader has 1 to 63 of a-z, 0-9, _ and -.')
    .optional()
    .describe('Its name in results; without it, its type.'),
  weight: z.number().min(0).max(100).optional().describe('Its share of the score of a case; 1 by default.'),
}
const share = z.number().min(0).max(1)
const ignoreCase = z.boolean().optional().describe('True if case does not matter: the default but of regex.')
const asExpected = 'Without it, that of the case.'
const valueOfGrader = text.optional().describe(asExpected)
const valuesOfGrader = texts.optional().describe(asExpected)
const itemsOfGrader = items.optional().describe(asExpected)
const toolsOfGrader = toolNames.optional().describe(asExpected)

const define = <Type extends string, Shape extends z.core.$ZodLooseShape>(type: Type, shape: Shape, about: string) =>
  z.strictObject({ type: z.literal(type).describe('The type.'), ...common, ...shape }).describe(about)

export const grader = z
  .discriminatedUnion(
    'type',
    [
      define('equals', { value: valueOfGrader, ignoreCase }, 'The answer is this text, or this JSON value.'),
      define('contains', { values: valuesOfGrader, ignoreCase }, 'The answer has all of these texts.'),
      define('not_contains', { values: valuesOfGrader, ignoreCase }, 'The answer has none of these texts.'),
      define(
        'regex',
        { pattern: valueOfGrader, ignoreCase },
        'The answer matches a regular expression, which may work for 100 ms.',
      ),
      define(
        'json_schema',
        {
          schema: z
            .custom<{ [name: string]: unknown }>(isObject, 'schema is a JSON Schema: an object.')
            .meta({ type: 'object' })
            .describe('A JSON Schema of an object, as outputSchema of an agent.'),
        },
        'The answer is JSON that meets a schema.',
      ),
      define(
        'found',
        {
          items: itemsOfGrader,
          metric: z.enum(['recall', 'precision', 'ndcg']).optional().describe('The measure; recall by default.'),
          top: z.int().min(1).max(100).optional().describe('Only the first so many items that were read count.'),
          threshold: share.optional().describe('The least that passes; 1 by default.'),
        },
        'The expected items are in the receipts.',
      ),
      define('not_found', { items: itemsOfGrader }, 'None of these items is in the receipts.'),
      define(
        'cited',
        { min: z.int().min(0).max(100).optional().describe('The least number of citations; 1 by default.') },
        'Each citation of the run is in its receipts, in a version that is still current.',
      ),
      define(
        'evidence',
        { is: evidence.optional().describe(asExpected) },
        'The read had at least this evidence, or `none`.',
      ),
      define(
        'operations',
        { called: toolsOfGrader, notCalled: toolsOfGrader },
        'These tools were called, and those were not.',
      ),
      define(
        'limits',
        {
          maxCostCents: z.number().min(0).optional().describe('In cents.'),
          maxMilliseconds: z.int().min(1).optional().describe('In milliseconds.'),
        },
        'The answer cost and took no more than this.',
      ),
      define(
        'rubric',
        {
          rubric: z.string().min(1).max(63).describe('The name of a rubric.'),
          judge: z.string().min(1).max(200).describe('The id of an agent without tools, Brains, corpora and skills.'),
          threshold: share.optional().describe('The least share of the weights that passes; 0.5 by default.'),
        },
        'A model judges the answer by a rubric, in a separate run.',
      ),
      define(
        'person',
        {
          question: z.string().trim().min(1).max(1_000).optional().describe('What to look at.'),
          expiresAfterHours: z
            .int()
            .min(1)
            .max(720)
            .optional()
            .describe('After these hours without an answer the case fails; 168 by default.'),
        },
        'A person answers a task: `pass` or `fail`, and a reason.',
      ),
    ],
    { error: 'type is the type of a grader; the reference lists them.' },
  )
  .describe('What decides whether an answer is right.')
export type Grader = z.output<typeof grader>
export type PersonGrader = Extract<Grader, { type: 'person' }>

/** The judgment of one criterion of a rubric. */
const judged = z
  .object({
    id: z.string().describe('The id of the criterion.'),
    passed: z.boolean().describe('True if the answer meets it.'),
    reason: z.string().describe('Why, as the judge says.'),
    quote: z.string().optional().describe('The place of the answer that decides it, word for word.'),
  })
  .describe('What a criterion was judged.')

export const grade = z
  .object({
    grader: z.string().describe('The name of the grader.'),
    passed: z.boolean().describe('True if it passes.'),
    score: z.number().describe('From 0 to 1.'),
    reason: z.string().optional().describe('Why it does not pass, or what a judge said.'),
    criteria: z.array(judged).optional().describe('The criteria of a rubric.'),
  })
  .describe('What a grader decided.')
export type Grade = z.infer<typeof grade>
