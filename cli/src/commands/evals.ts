import { setTimeout } from 'node:timers/promises'
import type { Client } from '@noema/sdk'
import { connectClient } from '../connection.ts'
import type { Context, GlobalOptions } from '../context.ts'
import { readEvalFile } from '../evals/read-eval-file.ts'
import { exitCodes, UsageError } from '../exit-codes.ts'
import { writeJson, writeLine } from '../output.ts'
import { parseListLimit, parseNumber, readInput } from '../parse-options.ts'
import { type Column, writeList } from '../table.ts'
import { findAgent } from './find-agent.ts'
import { type Eval, findEval } from './find-eval.ts'

const countCases = (count: number): string => `${count} ${count === 1 ? 'case' : 'cases'}`

type EvalRun = Awaited<ReturnType<Client['evalRuns']['get']>>['run']
type NewTarget = Parameters<Client['evals']['create']>[0]['target']

const describeTarget = ({ target }: Eval): string => {
  if ('agentId' in target) return `agent ${target.agentId}`
  return 'corpus' in target ? `corpus ${target.corpus}` : `Brain ${target.brain}`
}

const columns: Column<Eval>[] = [
  { title: 'ID', value: ({ id }) => id },
  { title: 'NAME', value: ({ name }) => name, shrinks: true },
  { title: 'TARGET', value: describeTarget },
  { title: 'CASES', value: ({ cases }) => String(cases) },
]

/** Lists the evals of the organization. */
export const listEvals = async (context: Context, options: GlobalOptions & { limit?: string }): Promise<number> => {
  const { limit, page } = parseListLimit(options.limit)
  const query = { archived: 'false' as const, limit: page }
  const list = connectClient(context, options).evals.list(query, { signal: context.signal })
  const none = 'There is no eval yet. Make one: noema evals import <file> --brain <handle>'
  await writeList(context, options, { list, columns, limit, none })
  return exitCodes.ok
}

const toPercent = (share: number): string => `${(share * 100).toFixed(1)} %`

const describeRun = ({ id, state, summary, done, cases, trials, baseline }: EvalRun): string => {
  if (!summary) return `${id}  ${state}  ${done} of ${cases * trials}`
  const { delta, flippedCases } = baseline ?? { delta: null, flippedCases: 0 }
  const change = delta === null ? '' : `  ${delta < 0 ? '' : '+'}${(delta * 100).toFixed(1)}, ${flippedCases} flipped`
  return `${id}  ${state}  ${toPercent(summary.score)}  ${summary.passed} of ${summary.cases} passed${change}`
}

/** Shows an eval: its graders, and its latest runs. */
export const showEval = async (context: Context, given: string, options: GlobalOptions): Promise<number> => {
  const { signal, stdout } = context
  const client = connectClient(context, options)
  const found = await findEval(client, given, signal)
  if (options.json) {
    await writeJson(stdout, found)
    return exitCodes.ok
  }
  const { id, name, version, cases, graders } = found
  await writeLine(stdout, `${id}  ${name}  version ${version}`)
  await writeLine(
    stdout,
    `${describeTarget(found)}, ${countCases(cases)}, graded by ${graders.map(({ type }) => type).join(', ')}`,
  )
  const { runs } = await client.evals.runs(id, { order: 'desc', limit: 10 }, { signal })
  for (const run of runs) await writeLine(stdout, describeRun(run))
  return exitCodes.ok
}

const pollMilliseconds = 1_000
const readFailed = 20

/** Waits for the end of a run. */
const awaitRun = async (client: Client, id: string, { signal }: Context): Promise<EvalRun> => {
  for (;;) {
    const { run } = await client.evalRuns.get(id, { signal })
    if (run.completedAt !== null) return run
    await setTimeout(pollMilliseconds, undefined, { signal })
  }
}

const writeFailed = async (context: Context, client: Client, run: EvalRun): Promise<void> => {
  const query = { filter: 'failed' as const, limit: readFailed }
  const { cases } = await client.evalRuns.cases(run.id, query, { signal: context.signal })
  for (const { caseId, error, grades } of cases) {
    const reason = error ?? grades.find(({ passed }) => !passed)?.reason ?? 'it did not pass'
    await writeLine(context.stdout, `  ${caseId}: ${reason}`)
  }
}

type Running = GlobalOptions & {
  failUnder?: string
  asOf?: string
  change?: string
  trials?: string
  baseline?: string
  wait?: boolean
}

const toStart = ({ asOf, change, trials, baseline }: Running) => {
  const given = { asOf: parseNumber(asOf, '--as-of'), trials: parseNumber(trials, '--trials') }
  return {
    ...(given.asOf === undefined ? {} : { asOf: given.asOf }),
    ...(given.trials === undefined ? {} : { trials: given.trials }),
    ...(change === undefined ? {} : { change }),
    ...(baseline === undefined ? {} : { baseline }),
  }
}

const readShare = (text: string | undefined): number | undefined => {
  const share = text === undefined ? undefined : Number(text)
  if (share !== undefined && !(share >= 0 && share <= 1))
    throw new UsageError('--fail-under is a share from 0 to 1, such as 0.9.')
  return share
}

/** Runs an eval and waits for its end. A score below `--fail-under`, or a run that does not complete, is exit code 9. */
export const runEval = async (context: Context, given: string, options: Running): Promise<number> => {
  const least = readShare(options.failUnder)
  const client = connectClient(context, options)
  const { id } = await findEval(client, given, context.signal)
  const { run: started } = await client.evals.run(id, toStart(options), { signal: context.signal })
  const run = options.wait === false ? started : await awaitRun(client, started.id, context)
  if (options.json) await writeJson(context.stdout, run)
  else await writeLine(context.stdout, describeRun(run))
  if (options.wait === false) return exitCodes.ok
  if (!options.json) await writeFailed(context, client, run)
  if (run.failureReason !== undefined) await writeLine(context.stderr, `noema: ${run.failureReason}`)
  const isBelow = least !== undefined && (run.summary?.score ?? 0) < least
  return run.state !== 'completed' || isBelow ? exitCodes.evalFailed : exitCodes.ok
}

type Importing = GlobalOptions & {
  name?: string
  agent?: string
  brain?: string
  corpus?: string
  read: 'search' | 'context'
  dryRun?: boolean
}

const toTarget = async (client: Client, options: Importing, signal: AbortSignal): Promise<NewTarget> => {
  const { agent, brain, corpus, read } = options
  if (agent !== undefined && corpus === undefined) return { agentId: (await findAgent(client, agent, signal)).id }
  if (corpus !== undefined && agent === undefined) return { corpus, read }
  if (brain !== undefined && agent === undefined && corpus === undefined) return { brain, read }
  throw new UsageError('Name what is tested: --agent, --brain or --corpus.')
}

/** Makes an eval of a file, and reports the rows that could not be mapped. */
export const importEval = async (context: Context, file: string, options: Importing): Promise<number> => {
  const { name, cases, graders, unmapped } = readEvalFile(await readInput(context, file))
  for (const { place, reason } of unmapped) await writeLine(context.stderr, `noema: ${place}: ${reason}`)
  await writeLine(context.stderr, `noema: ${countCases(cases.length)}; left out: ${unmapped.length}.`)
  if (cases.length === 0) throw new UsageError('Nothing of the file is left to import.')
  if (options.dryRun) {
    await writeJson(context.stdout, { cases, graders })
    return exitCodes.ok
  }
  const client = connectClient(context, options)
  const target = await toTarget(client, options, context.signal)
  const given = { name: options.name ?? name ?? file, target, cases, graders }
  const made = (await client.evals.create(given, { signal: context.signal })).eval
  await (options.json ? writeJson(context.stdout, made) : writeLine(context.stdout, made.id))
  return exitCodes.ok
}
