import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { interleave } from './parts/benchmark.ts'
import { thisTree } from './parts/child.ts'
import { createPostgresCpu } from './parts/costs.ts'
import { describeMachine } from './parts/machine.ts'
import { type Noema, startNoema } from './parts/noema.ts'
import { machineText } from './parts/report.ts'
import { type ScratchPostgres, startScratchPostgres } from './parts/scratch-postgres.ts'
import { median, range } from './parts/statistics.ts'

// The CPU that a run of an agent costs the service and PostgreSQL: one model call, one search of a Brain, one answer. Its model is a server of this process,
// whose CPU does not count. Trees alternate.

const usage = `node bench/runs.ts
  --tree <folder>   also measure another checkout, which has its packages installed, in the same rounds
  --rounds <n>      how often each tree has its turn (7)
  --runs <n>        runs of one turn (200)`

const options = {
  tree: { type: 'string' },
  rounds: { type: 'string', default: '7' },
  runs: { type: 'string', default: '200' },
  help: { type: 'boolean', default: false },
} as const

const say = (text: string): void => void process.stdout.write(`${text}\n`)

const chunk = (delta: object, finish: string | null = null) =>
  JSON.stringify({
    ...{ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm' },
    choices: [{ index: 0, delta, finish_reason: finish }],
  })

const call = { name: 'knowledge_search', arguments: JSON.stringify({ query: 'tide' }) }
const asks = [
  chunk({ role: 'assistant', tool_calls: [{ index: 0, id: 'a', type: 'function', function: call }] }),
  chunk({}, 'tool_calls'),
]
const answers = [chunk({ role: 'assistant', content: 'At noon.' }), chunk({}, 'stop')]

/** A model that searches once, and then answers. */
const startModel = async (): Promise<string> => {
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const piece of request.setEncoding('utf8')) body += piece
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const parts = [...(body.includes('"role":"tool"') ? answers : asks), '[DONE]']
    response.end(parts.map((part) => `data: ${part}\n\n`).join(''))
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  server.unref()
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
}

/** Requests at once. */
const atOnce = 4

type Side = { name: string; turn(isCounted: boolean): Promise<void>; costs: number[]; stop(): Promise<void> }

const startAgent = async (noema: Noema, baseUrl: string): Promise<string> => {
  await noema.call('PUT', '/v1/brains/brain', {})
  await noema.call('POST', '/v1/brains/brain/documents', { id: 'tide', text: 'High tide is at noon.' })
  await noema.call('PUT', '/v1/providers/bench', { kind: 'openai-compatible', baseUrl, apiKey: 'none' })
  const made = await noema.call<{ agent: { id: string } }>('POST', '/v1/agents', {
    ...{ name: 'Bench', model: 'bench/m', instructions: 'Answer.', brains: [{ handle: 'brain', access: 'read_only' }] },
  })
  return made.agent.id
}

const startSide = async (
  postgres: ScratchPostgres,
  { name, tree, baseUrl, runs }: { name: string; tree: string; baseUrl: string; runs: number },
): Promise<Side> => {
  const database = await postgres.createEmptyDatabase(name)
  const settings = { NOEMA_EMBEDDINGS: 'off', NOEMA_PROVIDER_ALLOW: '127.0.0.1:*' }
  const noema = await startNoema(database, undefined, settings, { tree })
  const agentId = await startAgent(noema, baseUrl)
  const readPostgres = await createPostgresCpu(database)
  const costs: number[] = []
  const countOpen = async () => {
    const open = `select count(*)::int as open, count(*) filter (where state <> 'completed')::int as bad from runs
      where completed_at is null or state <> 'completed'`
    return (await database.pool.query<{ open: number; bad: number }>(open)).rows[0] ?? { open: 0, bad: 0 }
  }
  const turn = async (isCounted: boolean) => {
    noema.resume()
    const before = (noema.cpuMilliseconds() ?? 0) + readPostgres()
    // On a busy machine a node refuses requests for a moment.
    const start = (): Promise<unknown> =>
      noema.call('POST', '/v1/runs', { agentId, input: 'When is high tide?' }).catch(() => delay(200).then(start))
    for (let sent = 0; sent < runs; sent += atOnce) await Promise.all(Array.from({ length: atOnce }, start))
    while ((await countOpen()).open > 0) await delay(50)
    const cost = (noema.cpuMilliseconds() ?? 0) + readPostgres() - before
    noema.pause()
    if (isCounted) costs.push(cost / runs)
  }
  return { name, turn, costs, stop: () => noema.stop() }
}

const format = (values: readonly number[]): string => {
  const { min, max } = range(values)
  return `${median(values).toFixed(2)} (${min.toFixed(2)}–${max.toFixed(2)})`
}

const main = async (): Promise<void> => {
  const { values } = parseArgs({ options })
  if (values.help) return say(usage)
  const runs = Number(values.runs)
  const postgres = await startScratchPostgres()
  const baseUrl = await startModel()
  const trees = [
    { name: 'here', tree: thisTree },
    ...(values.tree === undefined ? [] : [{ name: 'there', tree: `${resolve(values.tree)}/` }]),
  ]
  const sides: Side[] = []
  try {
    say(machineText(await describeMachine()))
    for (const one of trees) sides.push(await startSide(postgres, { ...one, baseUrl, runs }))
    await interleave(
      Number(values.rounds),
      sides.map(({ turn }) => turn),
    )
    for (const { name, costs } of sides) say(`${name.padEnd(6)} ${format(costs)} ms of CPU for one run`)
    const [here, there] = sides
    if (here && there)
      say(`ratio  ${format(here.costs.map((cost, round) => cost / (there.costs[round] ?? Number.NaN)))} here to there`)
  } finally {
    for (const side of sides) await side.stop()
    await postgres.stop()
  }
}

await main()
