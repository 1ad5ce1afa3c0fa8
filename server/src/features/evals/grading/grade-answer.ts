import type { EvalCase } from '@noema/contracts/evals.ts'
import type { Expectation, Grade, Grader, PersonGrader } from '@noema/contracts/graders.ts'
import type { OutputChecks } from '../../agents/agents/output-checks.ts'
import { toGraderName } from '../evals/definitions.ts'
import type { Answer } from './answer.ts'
import { gradeCited, gradeEvidence, gradeFound, gradeLimits, gradeNotFound, gradeOperations } from './grade-items.ts'
import { gradeContains, gradeEquals, gradeNotContains, gradePattern, gradeSchema } from './grade-text.ts'
import type { Verdict } from './verdict.ts'

// Grades an answer by all graders that need no model, and joins grades to the result of a case.

type Deps = { outputChecks: Pick<OutputChecks, 'check' | 'match' | 'findMissing'> }

/** A grader that a model answers for. */
export type RubricGrader = Extract<Grader, { type: 'rubric' }>

const toExpected = (expected: EvalCase['expected']): Exclude<Expectation, string> =>
  typeof expected === 'string' ? { answer: expected } : (expected ?? {})

type Grading = { organizationId: string; expected: Exclude<Expectation, string>; answer: Answer }

const judge = (
  { outputChecks }: Deps,
  { organizationId, expected, answer }: Grading,
  grader: Exclude<Grader, RubricGrader | PersonGrader>,
): Verdict | Promise<Verdict> | ReturnType<typeof gradeFound> => {
  const { text } = answer
  switch (grader.type) {
    case 'equals':
      return gradeEquals(grader, expected, text)
    case 'contains':
      return gradeContains(outputChecks, organizationId, { grader, expected, text })
    case 'not_contains':
      return gradeNotContains(outputChecks, organizationId, { grader, expected, text })
    case 'regex':
      return gradePattern(outputChecks, organizationId, { grader, expected, text })
    case 'json_schema':
      return gradeSchema(outputChecks, organizationId, grader, text)
    case 'found':
      return gradeFound(grader, expected, answer)
    case 'not_found':
      return gradeNotFound(grader, expected, answer)
    case 'cited':
      return gradeCited(grader, answer)
    case 'evidence':
      return gradeEvidence(grader, expected, answer)
    case 'operations':
      return gradeOperations(grader, expected, answer)
    case 'limits':
      return gradeLimits(grader, answer)
  }
}

/** True if a grader decides later: a model in a run of its own, or a person. */
const isLater = (grader: Grader): grader is RubricGrader | PersonGrader =>
  grader.type === 'rubric' || grader.type === 'person'

const isRubric = (grader: Grader): grader is RubricGrader => grader.type === 'rubric'

/** The graders of an eval that need a model. */
export const listRubricGraders = (graders: readonly Grader[]): RubricGrader[] => graders.filter(isRubric)

/** Grades an answer by the graders that need neither a model nor a person. */
export const gradeAnswer = async (
  deps: Deps,
  organizationId: string,
  { graders, evalCase, answer }: { graders: readonly Grader[]; evalCase: EvalCase; answer: Answer },
): Promise<Grade[]> => {
  const grading = { organizationId, expected: toExpected(evalCase.expected), answer }
  const grades: Grade[] = []
  for (const grader of graders) {
    const verdict = isLater(grader) ? undefined : await judge(deps, grading, grader)
    if (verdict === undefined) continue
    const { score, reason } = verdict
    const passed = 'isPassed' in verdict ? verdict.isPassed === true : score === 1
    grades.push({ grader: toGraderName(grader), passed, score, ...(reason === undefined ? {} : { reason }) })
  }
  return grades
}

/** The result of a case from its grades: the weighted mean of the scores, and passed if all passed and there is one. */
export const joinGrades = (
  graders: readonly Grader[],
  grades: readonly Grade[],
): { passed: boolean; score: number } => {
  const weights = new Map(graders.map((grader) => [toGraderName(grader), grader.weight ?? 1]))
  const weigh = ({ grader }: Grade): number => weights.get(grader) ?? 0
  const total = grades.reduce((sum, grade) => sum + weigh(grade), 0)
  const gained = grades.reduce((sum, grade) => sum + weigh(grade) * grade.score, 0)
  const passed = grades.length > 0 && grades.every((grade) => grade.passed)
  return { passed, score: total > 0 ? gained / total : Number(passed) }
}
