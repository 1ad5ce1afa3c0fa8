import type { EvalCase, EvalDefinition } from '@noema/contracts/evals.ts'
import type { Grade } from '@noema/contracts/graders.ts'
import type { Rubric } from '@noema/contracts/rubrics.ts'
import type { Actor } from '../../../shared/actor.ts'
import type { Db } from '../../../storage/database.ts'
import type { OutputChecks } from '../../agents/agents/output-checks.ts'
import { readStepTexts } from '../../agents/messages/answers.ts'
import { startRun } from '../../agents/runs/start-run.ts'
import type { RunRow } from '../../agents/runs/types.ts'
import { toGraderName } from '../evals/definitions.ts'
import type { Answer } from '../grading/answer.ts'
import { gradeAnswer, joinGrades, listRubricGraders, type RubricGrader } from '../grading/grade-answer.ts'
import { readVerdict, toCode, toJudgePrompt } from '../grading/judge.ts'
import { findRubric } from '../rubrics/rubrics.ts'
import { askPerson, type findTasks, listPersonGraders, toPersonGrade } from './person-tasks.ts'
import { maxShown } from './run-queries.ts'
import type { LeasedEvalRun, Pinned, ResultRow } from './types.ts'

// From an answer to the result of a case: what needs no model is graded at once, each rubric by the run of a judge, and the rest by
// people.

export type GradeDeps = Parameters<typeof startRun>[0] & {
  db: Db
  outputChecks: Pick<OutputChecks, 'check' | 'match' | 'findMissing'>
}

/** The work whose answers are graded: a run of an eval, or a goal. */
export type Graded = Pick<LeasedEvalRun, 'organization' | 'id'> & {
  startedBy: Actor
  pinned: Pick<Pinned, 'seed' | 'rubrics' | 'judges'>
  /** The eval, whose cases people may grade; goals have no such graders. */
  evalId?: string
  /** The work that the runs of judges are a part of, and how their metadata name it. */
  partOf: string
  metadata: Record<string, string>
  /** The ids of the Brains whose content may be in the answers. */
  findBrains(): Promise<string[]>
}

/** A case in one trial, of a run that this node works on. */
export type Place = { run: Graded; definition: Pick<EvalDefinition, 'graders'>; evalCase: EvalCase; trial: number }

/** The most characters of an answer that are kept until its judges have spoken. */
const maxHeld = 60_000

const empty = {
  ...{ runId: null, receipts: null, output: null, error: null, grades: [], pending: null },
  ...{ passed: null, score: null, costNanodollars: 0, milliseconds: null },
}

/** The result of a case whose agent runs. */
export const toRunning = ({ evalCase, trial }: Place, runId: string): ResultRow => ({
  ...empty,
  ...{ caseId: evalCase.id, trial, state: 'running', runId },
})

/** The result of a case without an answer. */
export const toFailed = (
  { evalCase, trial }: Place,
  error: string,
  known: Partial<Pick<ResultRow, 'runId' | 'costNanodollars'>> = {},
): ResultRow => ({
  ...{ ...empty, ...known },
  ...{ caseId: evalCase.id, trial, state: 'done', error: error.slice(0, 2_000), passed: false, score: 0 },
})

/** The result of a case that all graders graded. */
const toDone = ({ definition }: Place, result: ResultRow): ResultRow => {
  const { graders } = definition
  const names = graders.map(toGraderName)
  const grades = result.grades.toSorted((one, other) => names.indexOf(one.grader) - names.indexOf(other.grader))
  const isGraded = grades.length > 0
  return {
    ...result,
    ...{ state: 'done', grades, pending: null, output: (result.output ?? '').slice(0, maxShown) },
    ...joinGrades(graders, grades),
    ...(isGraded ? {} : { error: 'No grader grades this case: it expects nothing of any of them.' }),
  }
}

const toPlace = ({ run, evalCase, trial }: Place, grader: RubricGrader) => {
  const name = toGraderName(grader)
  return { name, code: toCode(run.pinned.seed, [evalCase.id, trial, name]) }
}

const findPinnedRubric = (deps: GradeDeps, { run }: Place, { rubric }: RubricGrader): Promise<Rubric | undefined> =>
  findRubric(deps.db, run.organization, rubric, run.pinned.rubrics[rubric])

/** Starts the run of a judge; a repeat finds the run that was started before. */
const startJudge = async (
  deps: GradeDeps,
  place: Place,
  { grader, rubric, answer }: { grader: RubricGrader; rubric: Rubric; answer: Answer },
): Promise<string> => {
  const { run, evalCase, trial } = place
  const { organization: organizationId, partOf } = run
  const { name, code } = toPlace(place, grader)
  const { run: started } = await startRun(deps, {
    ...{ organizationId, actor: run.startedBy, agentId: grader.judge, partOf, seenBrains: await run.findBrains() },
    agentVersion: run.pinned.judges[grader.judge],
    input: toJudgePrompt(code, { rubric, evalCase, text: answer.text.slice(0, maxHeld) }),
    metadata: { ...run.metadata, caseId: evalCase.id, trial, grader: name },
    idempotencyKey: `judge ${evalCase.id} ${trial} ${name}`,
  })
  return started.id
}

type Known = Pick<ResultRow, 'runId' | 'receipts'>

/** The result of a case with an answer: done, or with judges that are under way. */
export const gradeCase = async (deps: GradeDeps, place: Place, answer: Answer, known: Known): Promise<ResultRow> => {
  const { run, definition, evalCase, trial } = place
  const { graders } = definition
  const grades = await gradeAnswer(deps, run.organization, { graders, evalCase, answer })
  const pending: Record<string, string> = {}
  for (const grader of listRubricGraders(graders)) {
    const rubric = await findPinnedRubric(deps, place, grader)
    const { name } = toPlace(place, grader)
    if (rubric) pending[name] = await startJudge(deps, place, { grader, rubric, answer })
    else grades.push({ grader: name, passed: false, score: 0, reason: 'The rubric was deleted.' })
  }
  for (const grader of listPersonGraders(graders))
    pending[toGraderName(grader)] = await askPerson(deps, place, { grader, text: answer.text })
  const isPending = Object.keys(pending).length > 0
  const { costNanodollars, milliseconds, text } = answer
  const result: ResultRow = {
    ...{ ...empty, ...known },
    ...{ caseId: evalCase.id, trial, state: 'judging', output: text.slice(0, maxHeld), grades },
    ...{ pending: isPending ? pending : null, costNanodollars, milliseconds },
  }
  return isPending ? result : toDone(place, result)
}

const toGrade = async (
  deps: GradeDeps,
  place: Place,
  { grader, judge, text }: { grader: RubricGrader; judge: RunRow | undefined; text: string },
): Promise<Grade> => {
  const { name, code } = toPlace(place, grader)
  const rubric = await findPinnedRubric(deps, place, grader)
  const fail = (reason: string): Grade => ({ grader: name, passed: false, score: 0, reason })
  if (!rubric) return fail('The rubric was deleted.')
  if (judge?.state !== 'completed') return fail(`The judge did not answer: ${judge?.failureReason ?? 'its run ended'}.`)
  const steps = await readStepTexts(deps, judge)
  const isOutput = judge.output !== null && judge.output !== undefined
  const said = isOutput ? JSON.stringify(judge.output) : (steps.at(-1)?.text ?? '')
  return readVerdict({ grader, rubric, code, said, text })
}

type Tasks = Awaited<ReturnType<typeof findTasks>>

/** The result of a case whose judges have ended. `judges`: their runs, and `tasks`: those of people, by id. */
export const finishJudging = async (
  deps: GradeDeps,
  place: Place,
  { result, judges, tasks }: { result: ResultRow; judges: ReadonlyMap<string, RunRow>; tasks?: Tasks },
): Promise<ResultRow> => {
  const graders = listRubricGraders(place.definition.graders)
  const grades = [...result.grades]
  let cost = result.costNanodollars
  for (const grader of graders) {
    const runId = result.pending?.[toGraderName(grader)]
    if (runId === undefined) continue
    const judge = judges.get(runId)
    cost += judge?.costNanodollars ?? 0
    grades.push(await toGrade(deps, place, { grader, judge, text: result.output ?? '' }))
  }
  for (const grader of listPersonGraders(place.definition.graders)) {
    const name = toGraderName(grader)
    grades.push(toPersonGrade(name, tasks?.get(result.pending?.[name] ?? '')))
  }
  return toDone(place, { ...result, grades, costNanodollars: cost })
}
