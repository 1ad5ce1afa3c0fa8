import type { EvalCase } from '@noema/contracts/evals.ts'
import type { Grade, PersonGrader } from '@noema/contracts/graders.ts'
import { invalidArgument } from '../../../shared/errors.ts'

// A person grades a case by answering a task: `pass` or `fail`, and after it the reason.

const verdict = /^\s*(pass|fail)(?:$|[\s:,.;-]+)/i

/** The most characters of an input and of an answer that a task shows. */
const maxInput = 4_000
const maxAnswer = 8_000

export const verdicts = ['pass', 'fail'] as const

const cut = (text: string, max: number): string => (text.length > max ? `${text.slice(0, max)}…` : text)

/** The question of a task. */
export const toQuestion = (
  { question = 'Is this answer right?' }: PersonGrader,
  { id, input }: Pick<EvalCase, 'id' | 'input'>,
  text: string,
): string => `${question}\n\nCase ${id}: ${cut(input, maxInput)}\n\nAnswer:\n${cut(text, maxAnswer)}`

/** Refuses an answer that is no grade. */
export const checkVerdict = (answer: string): void => {
  if (!verdict.test(answer))
    throw invalidArgument(['answer'], 'Begin with pass or fail; the reason follows, such as "fail: it names no date".')
}

const maxReason = 2_000

/** The grade that an answer gives. */
export const toGrade = (grader: string, answer: string): Grade => {
  const found = verdict.exec(answer)
  const passed = found?.[1]?.toLowerCase() === 'pass'
  const reason = answer.slice(found?.[0].length ?? 0).trim()
  return { grader, passed, score: Number(passed), ...(reason === '' ? {} : { reason: reason.slice(0, maxReason) }) }
}
