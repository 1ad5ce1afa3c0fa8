import { connectClient } from '../connection.ts'
import type { Context, GlobalOptions } from '../context.ts'
import { exitCodes, UsageError } from '../exit-codes.ts'
import { writeJson, writeLine, writeText } from '../output.ts'
import { type Column, writeTable } from '../table.ts'
import { findAgent } from './find-agent.ts'
import { formatRun, formatUsage, type Run, readAnswer, reportEnd } from './show-run.ts'
import { watchRun } from './watch-run.ts'

export type StartOptions = GlobalOptions & {
  conversation?: string
  wait?: boolean
  follow?: boolean
  watch?: boolean
  key?: string
}

/** The values of `--state`. */
export const runStates = [
  'queued',
  'running',
  'waiting',
  'completed',
  'failed',
  'abandoned',
] as const satisfies Run['state'][]

export type ListOptions = GlobalOptions & {
  agent?: string
  state?: Run['state']
  conversation?: string
  limit?: string
}

const columns: Column<Run>[] = [
  { title: 'ID', value: ({ runId }) => runId },
  { title: 'STATE', value: ({ state }) => state },
  { title: 'AGENT', value: ({ agentId }) => agentId, shrinks: true },
  { title: 'CREATED', value: ({ createdAt }) => createdAt },
]

const parseLimit = (text: string): number => {
  const limit = /^\d{1,3}$/.test(text) ? Number(text) : 0
  if (limit < 1 || limit > 500) throw new UsageError('--limit is a whole number from 1 to 500.')
  return limit
}

/**
 * Starts a run of an agent, by its id or its name. Prints the run; with `--wait` its answer when it has finished, with
 * `--follow` its steps as they happen.
 */
export const startRun = async (context: Context, [agent, input]: [string, string], options: StartOptions) => {
  const { signal, stdout, stderr } = context
  const follows = options.follow || options.watch
  if (options.wait && follows) throw new UsageError('Give --wait or --follow, not both.')
  const client = connectClient(context, options)
  const { id } = await findAgent(client, agent, signal)
  const body = { agentId: id, input, ...(options.conversation ? { conversationId: options.conversation } : {}) }
  const started = await client.runs.start(body, { signal, idempotencyKey: options.key })
  if (follows) return watchRun(context, client, started.run.runId, options)
  const { run } = options.wait ? await client.runs.wait(started, { signal }) : started
  if (options.json) {
    await writeJson(stdout, run)
    return ['failed', 'abandoned'].includes(run.state) ? exitCodes.runFailed : exitCodes.ok
  }
  if (run.state === 'completed') {
    await writeText(stdout, `${(await readAnswer(client, run, signal)).trimEnd()}\n`)
    await writeLine(stderr, `${run.runId}: ${formatUsage(run)}`)
  } else if (!options.wait) await writeLine(stdout, formatRun(run))
  return reportEnd(context, run)
}

/** Shows a run as it happens, until it has finished. */
export const watch = (context: Context, runId: string, options: GlobalOptions): Promise<number> =>
  watchRun(context, connectClient(context, options), runId, options)

/** Cancels a run. */
export const cancelRun = async (context: Context, runId: string, options: GlobalOptions & { reason?: string }) => {
  const { signal, stdout } = context
  const reason = options.reason === undefined ? {} : { reason: options.reason }
  const { run } = await connectClient(context, options).runs.cancel(runId, reason, { signal })
  await (options.json ? writeJson(stdout, run) : writeLine(stdout, formatRun(run)))
  return exitCodes.ok
}

/** Lists runs, the newest first. */
export const listRuns = async (context: Context, options: ListOptions): Promise<number> => {
  const { signal } = context
  const client = connectClient(context, options)
  const agentId = options.agent && (await findAgent(client, options.agent, signal)).id
  const query = { agentId, state: options.state, conversationId: options.conversation, order: 'desc' as const }
  const { runs } = await client.runs.list({ ...query, limit: parseLimit(options.limit ?? '20') }, { signal })
  await writeTable(context, options, { rows: runs, columns })
  return exitCodes.ok
}

/** Shows one run: its state, its usage, and its answer if it has one. */
export const showRun = async (context: Context, runId: string, options: GlobalOptions): Promise<number> => {
  const { signal, stdout, stderr } = context
  const client = connectClient(context, options)
  const { run } = await client.runs.get(runId, { signal })
  if (options.json) {
    await writeJson(stdout, run)
    return exitCodes.ok
  }
  await writeLine(stderr, formatRun(run))
  await writeLine(stderr, formatUsage(run))
  if (run.state === 'completed') await writeText(stdout, `${(await readAnswer(client, run, signal)).trimEnd()}\n`)
  await reportEnd(context, run)
  return exitCodes.ok
}
