import type { Grade, Grader, PersonGrader } from '@noema/contracts/graders.ts'
import type { Task } from '@noema/contracts/tasks.ts'
import type { Actor } from '../../../shared/actor.ts'
import type { Clock } from '../../../shared/clock.ts'
import { evalsTopic, type Topics } from '../../../shared/concurrency/topics.ts'
import { conflict } from '../../../shared/errors.ts'
import { newId } from '../../../shared/ids.ts'
import type { Db } from '../../../storage/database.ts'
import { type EvalTask, insertEvalTask, settleEvalTasks } from '../../agents/tasks/eval-task-queries.ts'
import { completeRow } from '../../agents/tasks/task-queries.ts'
import { taskView } from '../../agents/tasks/tasks.ts'
import { toGraderName } from '../evals/definitions.ts'
import { checkVerdict, toGrade, toQuestion, verdicts } from '../grading/person.ts'
import type { Place } from './grade-case.ts'
import { wakeEvalRun } from './run-queries.ts'
import type { ResultRow } from './types.ts'

// Cases that people grade: each is a task, and the run waits for its answer without holding anything.

const hourMilliseconds = 3_600_000
const defaultHours = 168

/** The graders of an eval that are people. */
export const listPersonGraders = (graders: readonly Grader[]): PersonGrader[] =>
  graders.filter((grader) => grader.type === 'person')

/** Asks people to grade an answer; a repeat finds the task that was made before. */
export const askPerson = (
  { db, clock }: { db: Db; clock: Clock },
  { run, evalCase, trial }: Place,
  { grader, text }: { grader: PersonGrader; text: string },
): Promise<string> => {
  const { evalId } = run
  if (evalId === undefined) throw new Error('Only evals ask people to grade.')
  const now = clock.now()
  const hours = grader.expiresAfterHours ?? defaultHours
  return insertEvalTask(db, {
    ...{ organizationId: run.organization, id: newId('tsk', now), evalRunId: run.id, evalId },
    place: `${evalCase.id} ${trial} ${toGraderName(grader)}`,
    ...{ question: toQuestion(grader, evalCase, text), options: verdicts, createdAt: now },
    expiresAt: new Date(now.getTime() + hours * hourMilliseconds),
  })
}

/** The ids of the tasks that results wait for. */
export const listTasks = ({ graders }: { graders: readonly Grader[] }, results: readonly ResultRow[]): string[] => {
  const names = listPersonGraders(graders).map(toGraderName)
  return results.flatMap(({ pending }) => names.flatMap((name) => pending?.[name] ?? []))
}

/** The tasks of a run by their ids. */
export const findTasks = async (
  { db, clock }: { db: Db; clock: Clock },
  { organization: organizationId, id: evalRunId }: Pick<Place['run'], 'organization' | 'id'>,
  ids: readonly string[],
): Promise<ReadonlyMap<string, EvalTask>> => {
  const tasks = await settleEvalTasks(db, { organizationId, evalRunId }, { ids, now: clock.now() })
  return new Map(tasks.map((task) => [task.id, task]))
}

/** The grade of a person. */
export const toPersonGrade = (name: string, task: EvalTask | undefined): Grade =>
  task?.answer
    ? toGrade(name, task.answer)
    : { grader: name, passed: false, score: 0, reason: 'No one graded this in time.' }

type Answering = { organizationId: string; id: string; evalRunId: string; answer: string; answeredBy: Actor }

/** Answers the task of a case, and wakes its run. */
export const answerEvalTask = async (
  { db, clock, topics }: { db: Db; clock: Clock; topics: Pick<Topics, 'publish'> },
  answering: Answering,
): Promise<Task> => {
  const { organizationId, evalRunId, answer } = answering
  checkVerdict(answer)
  const now = clock.now()
  const task = await db.transaction().execute(async (tx) => {
    const completed = await completeRow(tx, answering, now)
    if (!completed)
      throw conflict('This task is not open any more: it was answered, its time is over, or its run has ended.', {
        code: 'task_not_open',
      })
    await wakeEvalRun(tx, { organizationId, id: evalRunId }, now)
    return completed
  })
  topics.publish(evalsTopic(organizationId))
  return taskView(task)
}
