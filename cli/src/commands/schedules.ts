import type { Client } from '@noema/sdk'
import { connectClient } from '../connection.ts'
import type { Context, GlobalOptions } from '../context.ts'
import { exitCodes, UsageError } from '../exit-codes.ts'
import { writeJson, writeLine } from '../output.ts'
import { confirmLoss, parseListLimit, parseNumber, readInput } from '../parse-options.ts'
import { type Column, writeList } from '../table.ts'
import { findAgent } from './find-agent.ts'
import { findEval } from './find-eval.ts'

type Schedule = Awaited<ReturnType<Client['schedules']['get']>>['schedule']
type NewSchedule = Parameters<Client['schedules']['create']>[0]

const describeTarget = ({ agentId, evalId, distillation }: Schedule): string => {
  if (evalId !== undefined) return `eval ${evalId}`
  return distillation ? `distillation into ${distillation.into.brain}` : `agent ${agentId}`
}

const describeState = ({ enabled, paused, nextRunAt }: Schedule): string => {
  if (!enabled) return 'off'
  return paused ? 'paused' : `next ${nextRunAt ?? 'never'}`
}

const columns: Column<Schedule>[] = [
  { title: 'ID', value: ({ id }) => id },
  { title: 'CRON', value: ({ cron }) => cron },
  { title: 'ZONE', value: ({ timezone }) => timezone },
  { title: 'STARTS', value: describeTarget, shrinks: true },
  { title: 'STATE', value: describeState },
]

type Filter = { agent?: string; eval?: string }

const toFilter = async (client: Client, { agent, eval: tested }: Filter, signal: AbortSignal) => ({
  ...(agent === undefined ? {} : { agentId: (await findAgent(client, agent, signal)).id }),
  ...(tested === undefined ? {} : { evalId: (await findEval(client, tested, signal)).id }),
})

/** Lists the schedules of the organization. */
export const listSchedules = async (
  context: Context,
  options: GlobalOptions & Filter & { limit?: string },
): Promise<number> => {
  const { signal } = context
  const { limit, page } = parseListLimit(options.limit)
  const client = connectClient(context, options)
  const list = client.schedules.list({ limit: page, ...(await toFilter(client, options, signal)) }, { signal })
  const none = "There is no schedule. Make one: noema schedules create --eval <eval> --cron '0 3 * * *'"
  await writeList(context, options, { list, columns, limit, none })
  return exitCodes.ok
}

const write = async ({ stdout }: Context, schedule: Schedule, { json }: GlobalOptions): Promise<void> => {
  if (json) return writeJson(stdout, schedule)
  const { id, cron, timezone, lastRunId, lastFiredAt, enabled, paused } = schedule
  await writeLine(stdout, `${id}  ${cron}  ${timezone}  ${describeTarget(schedule)}  ${describeState(schedule)}`)
  if (lastRunId !== null) await writeLine(stdout, `Last started ${lastRunId} at ${lastFiredAt}`)
  if (enabled && paused) await writeLine(stdout, paused.reason)
}

/** Shows a schedule. */
export const showSchedule = async (context: Context, id: string, options: GlobalOptions): Promise<number> => {
  const { schedule } = await connectClient(context, options).schedules.get(id, { signal: context.signal })
  await write(context, schedule, options)
  return exitCodes.ok
}

type Creating = GlobalOptions & {
  cron: string
  timezone?: string
  agent?: string
  input?: string
  eval?: string
  trials?: string
  into?: string
  sinceDays?: string
}

type Target = Pick<NewSchedule, 'agentId' | 'input' | 'evalId' | 'trials' | 'distillation'>

const toDistillation = async (client: Client, options: Creating & { into: string }, signal: AbortSignal) => {
  const { agent, into } = options
  const sinceDays = parseNumber(options.sinceDays, '--since-days')
  const from = {
    ...(agent === undefined ? {} : { agentId: (await findAgent(client, agent, signal)).id }),
    ...(sinceDays === undefined ? {} : { sinceDays }),
  }
  return { distillation: { from, into: { brain: into } } }
}

const toTarget = async (context: Context, client: Client, options: Creating): Promise<Target> => {
  const { signal } = context
  const { eval: tested, into, agent, input } = options
  if (tested !== undefined && into === undefined && agent === undefined) {
    const trials = parseNumber(options.trials, '--trials')
    const { id: evalId } = await findEval(client, tested, signal)
    return { evalId, ...(trials === undefined ? {} : { trials }) }
  }
  if (into !== undefined && tested === undefined) return toDistillation(client, { ...options, into }, signal)
  if (agent === undefined || input === undefined || tested !== undefined)
    throw new UsageError('Name one thing to start: --eval, --into, or --agent with --input.')
  const { id: agentId } = await findAgent(client, agent, signal)
  return { agentId, input: input === '-' ? await readInput(context, '-') : input }
}

/** Makes a schedule of an agent, an eval or a distillation. */
export const createSchedule = async (context: Context, options: Creating): Promise<number> => {
  const client = connectClient(context, options)
  const { cron, timezone } = options
  const target = await toTarget(context, client, options)
  const given = { cron, ...(timezone === undefined ? {} : { timezone }), ...target }
  const { schedule } = await client.schedules.create(given, { signal: context.signal })
  await write(context, schedule, options)
  return exitCodes.ok
}

/** Pauses a schedule, or lets it go on, then for the caller. */
export const enableSchedule = async (
  context: Context,
  { id, enabled }: { id: string; enabled: boolean },
  options: GlobalOptions,
): Promise<number> => {
  const { signal } = context
  const { schedule } = await connectClient(context, options).schedules.patch(id, { enabled }, { signal })
  await write(context, schedule, options)
  return exitCodes.ok
}

/** Deletes a schedule, after a yes. */
export const deleteSchedule = async (
  context: Context,
  id: string,
  options: GlobalOptions & { yes?: boolean },
): Promise<number> => {
  await confirmLoss(context, options, `Delete the schedule ${id}? What it started goes on.`)
  const answer = await connectClient(context, options).schedules.delete(id, { signal: context.signal })
  if (options.json) await writeJson(context.stdout, answer)
  return exitCodes.ok
}
