import { createGoal as createGoalEndpoint, type GoalState } from '@noema/contracts/goals.ts'
import type { Client } from '@noema/sdk'
import { connectClient } from '../connection.ts'
import type { Context, GlobalOptions } from '../context.ts'
import { exitCodes, UsageError } from '../exit-codes.ts'
import { writeJson, writeLine } from '../output.ts'
import { parseListLimit, parseNumber, readInput } from '../parse-options.ts'
import { type Column, writeList } from '../table.ts'
import { findAgent } from './find-agent.ts'

type Goal = Awaited<ReturnType<Client['goals']['get']>>['goal']
type NewGoal = Parameters<Client['goals']['create']>[0]
type Criteria = NewGoal['criteria']

const countAttempts = ({ attempts, budget }: Goal): string => `${attempts} of ${budget.runs}`

const columns: Column<Goal>[] = [
  { title: 'ID', value: ({ id }) => id },
  { title: 'STATE', value: ({ state }) => state },
  { title: 'ATTEMPTS', value: countAttempts },
  { title: 'BEST', value: ({ bestScore }) => bestScore.toFixed(2) },
  { title: 'OBJECTIVE', value: ({ objective }) => objective.replaceAll(/\s+/g, ' '), shrinks: true },
]

/** Lists the goals of the organization. */
export const listGoals = async (
  context: Context,
  options: GlobalOptions & { limit?: string; state?: GoalState },
): Promise<number> => {
  const { limit, page } = parseListLimit(options.limit)
  const query = { limit: page, ...(options.state === undefined ? {} : { state: options.state }) }
  const list = connectClient(context, options).goals.list(query, { signal: context.signal })
  const none = 'There is no goal. Make one: noema goals create <objective> --agent <agent> --contains <text>'
  await writeList(context, options, { list, columns, limit, none })
  return exitCodes.ok
}

const writeGoal = async ({ stdout }: Context, goal: Goal, { json }: GlobalOptions): Promise<void> => {
  if (json) return writeJson(stdout, goal)
  const { id, state, reason, taskId } = goal
  await writeLine(stdout, `${id}  ${state}  ${countAttempts(goal)} attempts  best ${goal.bestScore.toFixed(2)}`)
  if (reason !== undefined) await writeLine(stdout, reason)
  if (taskId !== undefined) await writeLine(stdout, `Answer its question: noema tasks answer ${taskId} <answer>`)
}

/** Shows a goal, and what graders said of each attempt. */
export const showGoal = async (context: Context, id: string, options: GlobalOptions): Promise<number> => {
  const { signal, stdout } = context
  const client = connectClient(context, options)
  const { goal } = await client.goals.get(id, { signal })
  await writeGoal(context, goal, options)
  if (options.json) return exitCodes.ok
  for await (const { number, state, runId, score, passed, error, grades } of client.goals.attempts(
    id,
    {},
    { signal },
  )) {
    const outcome = passed === null ? state : `${passed ? 'passed' : 'failed'}  ${score?.toFixed(2)}`
    await writeLine(stdout, `  ${number}  ${runId}  ${outcome}`)
    const reasons = grades.flatMap((grade) =>
      grade.passed ? [] : `${grade.grader}: ${grade.reason ?? 'did not pass'}`,
    )
    for (const reason of error === undefined ? reasons : [error]) await writeLine(stdout, `     ${reason}`)
  }
  return exitCodes.ok
}

type Creating = GlobalOptions & {
  agent: string
  criteria?: string
  contains?: string[]
  matches?: string
  runs?: string
  costCents?: string
  until?: string
}

const readCriteria = async (context: Context, { criteria, contains, matches }: Creating): Promise<Criteria> => {
  const given: unknown = criteria === undefined ? [] : JSON.parse(await readInput(context, criteria))
  const parsed = createGoalEndpoint.body.shape.criteria.safeParse([
    ...(Array.isArray(given) ? given : [given]),
    ...(contains === undefined ? [] : [{ type: 'contains', values: contains }]),
    ...(matches === undefined ? [] : [{ type: 'regex', pattern: matches }]),
  ])
  if (!parsed.success)
    throw new UsageError(
      `Say when the goal is met: --contains, --matches or --criteria. ${parsed.error.issues[0]?.message}`,
    )
  return parsed.data
}

/** Gives an agent a goal. */
export const createGoal = async (context: Context, given: string, options: Creating): Promise<number> => {
  const { signal } = context
  const criteria = await readCriteria(context, options)
  const [runs, costCents] = [parseNumber(options.runs, '--runs'), parseNumber(options.costCents, '--cost-cents')]
  const budget = {
    ...(runs === undefined ? {} : { runs }),
    ...(costCents === undefined ? {} : { costCents }),
    ...(options.until === undefined ? {} : { until: options.until }),
  }
  const client = connectClient(context, options)
  const objective = given === '-' ? await readInput(context, '-') : given
  const { id: agentId } = await findAgent(client, options.agent, signal)
  const { goal } = await client.goals.create({ agentId, objective, criteria, budget }, { signal })
  await writeGoal(context, goal, options)
  return exitCodes.ok
}

/** Pauses, resumes or abandons a goal. */
export const actOnGoal = async (
  context: Context,
  { act, id }: { act: 'pause' | 'resume' | 'abandon'; id: string },
  options: GlobalOptions & { advice?: string },
): Promise<number> => {
  const { goals } = connectClient(context, options)
  const { advice } = options
  const { signal } = context
  const { goal } = await (act === 'resume'
    ? goals.resume(id, advice === undefined ? {} : { advice }, { signal })
    : goals[act](id, { signal }))
  await writeGoal(context, goal, options)
  return exitCodes.ok
}
