import { z } from 'zod'
import { actor, timestamp } from './common.ts'

// The result of an eval for a pending change: its cases without the change, and with it.

/**
 * `passed`: no case fails that passes without the change. `stale`: the items of the change were written to since. `unavailable`: the
 * eval cannot be run.
 */
export const changeEvalState = z
  .enum(['pending', 'passed', 'failed', 'stale', 'unavailable'])
  .describe('`passed` if the change makes no case fail; `stale` if its items were written to since.')
export type ChangeEvalState = z.infer<typeof changeEvalState>

/** So many ids of cases are in an answer. */
export const maxFlippedCases = 20

export const evalSide = z
  .object({
    evalRunId: z.string().describe('The run.'),
    passed: z.int().describe('How many cases passed.'),
    score: z.number().describe('The mean of the scores.'),
  })
  .describe('The result of a run.')

export const flippedCases = z
  .object({
    count: z.int().describe('How many.'),
    ids: z.array(z.string()).describe(`The first ${maxFlippedCases}.`),
  })
  .describe('Cases that pass only with the change, or only without.')

export const changeEval = z
  .object({
    evalId: z.string().describe('The id of the eval.'),
    state: changeEvalState,
    reason: z.string().optional().describe('Why it waits or cannot be run.'),
    evalVersion: z.int().optional().describe('The version of the eval.'),
    cases: z.int().optional().describe('How many cases there are.'),
    before: evalSide.optional(),
    after: evalSide.optional(),
    broken: flippedCases.optional(),
    mended: flippedCases.optional(),
    completedAt: timestamp.optional(),
    override: z
      .object({ by: actor.describe('Who.'), reason: z.string().describe('Why.'), at: timestamp })
      .optional()
      .describe('Who approved it nevertheless.'),
  })
  .describe(
    'What an eval says about a change: `before` without it, `after` with it. `broken` cases pass only without it, `mended` ones only with it.',
  )
export type ChangeEval = z.infer<typeof changeEval>

/** A person's reason to approve a change whose eval has not passed. */
export const overrideEval = z
  .object({ reason: z.string().trim().min(1).max(2000).describe('Why.') })
  .describe('Approves although the eval has not passed: for people who are signed in.')
