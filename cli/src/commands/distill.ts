import { setTimeout } from 'node:timers/promises'
import type { Client } from '@noema/sdk'
import { connectClient } from '../connection.ts'
import type { Context, GlobalOptions } from '../context.ts'
import { exitCodes } from '../exit-codes.ts'
import { writeJson, writeLine } from '../output.ts'
import { parseListLimit, parseNumber } from '../parse-options.ts'
import { type Column, writeList } from '../table.ts'
import { findAgent } from './find-agent.ts'

type Found = Awaited<ReturnType<Client['distillations']['get']>>
type Distillation = Found['distillation']
type Given = Parameters<Client['distillations']['start']>[0]

type Options = GlobalOptions & {
  into: string
  agent?: string
  run?: string[]
  since?: string
  sinceDays?: string
  cron?: string
  timezone?: string
  outcome?: Given['from']['outcome']
  produce?: Given['produce']
  model?: string
  allowWider?: boolean
  wait?: boolean
}

const toGiven = async (client: Client, options: Options, signal: AbortSignal): Promise<Given> => {
  const { into, agent, run, since, outcome, produce, model, allowWider, cron, timezone } = options
  const sinceDays = parseNumber(options.sinceDays, '--since-days')
  const toId = async (name: string) => (await findAgent(client, name, signal)).id
  return {
    from: {
      ...(agent === undefined ? {} : { agentId: await toId(agent) }),
      ...(run === undefined ? {} : { runs: run }),
      ...(since === undefined ? {} : { since }),
      ...(sinceDays === undefined ? {} : { sinceDays }),
      ...(outcome === undefined ? {} : { outcome }),
    },
    into: { brain: into },
    ...(produce === undefined ? {} : { produce }),
    ...(model === undefined ? {} : { model: await toId(model) }),
    ...(allowWider ? { allowWider } : {}),
    ...(cron === undefined ? {} : { schedule: { cron, ...(timezone === undefined ? {} : { timezone }) } }),
  }
}

const describe = ({ id, state, runs, read, found, staged }: Distillation): string =>
  `${id}  ${state}  ${read} of ${runs} runs read, ${found} found, ${staged} staged`

/** Writes a distillation, and each item with its change. */
const write = async (context: Context, options: GlobalOptions, found: Found): Promise<number> => {
  const { stdout, stderr } = context
  const { distillation, items } = found
  if (options.json) await writeJson(stdout, found)
  else {
    await writeLine(stdout, describe(distillation))
    for (const { type, outcome, change, summary, flags } of items) {
      const warned = flags.length > 0 ? `  [${flags.join(', ')}]` : ''
      await writeLine(stdout, `  ${type}  ${outcome}  ${change ?? '-'}  ${summary}${warned}`)
    }
  }
  if (distillation.failureReason !== undefined) await writeLine(stderr, `noema: ${distillation.failureReason}`)
  return distillation.state === 'failed' || distillation.state === 'canceled' ? exitCodes.runFailed : exitCodes.ok
}

const pollMilliseconds = 1_000

/** Starts a distillation and waits for its end. One that does not complete is exit code 8. */
export const distill = async (context: Context, options: Options): Promise<number> => {
  const { signal } = context
  const client = connectClient(context, options)
  const given = await toGiven(client, options, signal)
  const { distillation: started, scheduleId } = await client.distillations.start(given, { signal })
  if (scheduleId !== undefined) await writeLine(context.stderr, `noema: The schedule ${scheduleId} repeats it.`)
  for (;;) {
    const found = await client.distillations.get(started.id, { signal })
    if (options.wait === false || found.distillation.completedAt !== null) return write(context, options, found)
    await setTimeout(pollMilliseconds, undefined, { signal })
  }
}

const columns: Column<Distillation>[] = [
  { title: 'ID', value: ({ id }) => id },
  { title: 'STATE', value: ({ state }) => state },
  { title: 'INTO', value: ({ brain }) => brain ?? '', shrinks: true },
  { title: 'RUNS', value: ({ runs }) => String(runs) },
  { title: 'STAGED', value: ({ staged }) => String(staged) },
]

/** Lists the distillations of the organization. */
export const listDistillations = async (
  context: Context,
  options: GlobalOptions & { limit?: string },
): Promise<number> => {
  const { limit, page } = parseListLimit(options.limit)
  const list = connectClient(context, options).distillations.list(
    { order: 'desc', limit: page },
    { signal: context.signal },
  )
  const none = 'There is no distillation yet. Start one: noema distill run --into <handle>'
  await writeList(context, options, { list, columns, limit, none })
  return exitCodes.ok
}

/** Shows a distillation and what it found. */
export const showDistillation = async (context: Context, id: string, options: GlobalOptions): Promise<number> => {
  await write(context, options, await connectClient(context, options).distillations.get(id, { signal: context.signal }))
  return exitCodes.ok
}

/** Cancels a distillation. */
export const cancelDistillation = async (context: Context, id: string, options: GlobalOptions): Promise<number> => {
  const { distillation } = await connectClient(context, options).distillations.cancel(id, { signal: context.signal })
  await (options.json ? writeJson(context.stdout, distillation) : writeLine(context.stdout, describe(distillation)))
  return exitCodes.ok
}
