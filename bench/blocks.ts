import { parseArgs } from 'node:util'
import { burst, type Heavy, heavyRequests } from './blocks/heavy-requests.ts'
import type { Watched } from './blocks/messages.ts'
import { describeTurns, startWatched, type WatchedNode } from './blocks/watched-node.ts'
import { startScratchPostgres } from './parts/scratch-postgres.ts'

// How long one request keeps the main thread of a node from everybody else, in processor time of its longest turn. See README.md.

const names = [...heavyRequests, burst].map(({ name }) => name)
const usage = `node bench/blocks.ts [${names.join(' | ')} …]
  --repeats <n>   how often each is sent, after once that is not counted (3)
  --causes        tells what took the time of the longest turns; makes them longer`

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    repeats: { type: 'string', default: '3' },
    causes: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})
const say = (text: string): void => void process.stdout.write(`${text}\n`)

const median = (figures: readonly number[]): number => figures.toSorted((a, b) => a - b)[figures.length >> 1] ?? 0

const measure = async ({ noema, watch }: WatchedNode, heavy: Heavy): Promise<void> => {
  const send = await heavy.prepare(noema)
  await send(0)
  const watched: Watched[] = []
  for (let turn = 1; turn <= Number(values.repeats); turn++) watched.push((await watch(() => send(turn)))[1])
  const longest = watched.map(({ blocks }) => blocks[0]?.milliseconds ?? 0)
  const next = watched.map(({ blocks }) => blocks[1]?.milliseconds ?? 0)
  const total = watched.map((one) => one.total)
  const cells = [median(longest), Math.max(...longest), median(next), median(total)]
  say(heavy.name.padEnd(22) + cells.map((cell) => cell.toFixed(1).padStart(12)).join(''))
  if (!values.causes) return
  const worst = watched.toSorted((a, b) => (b.blocks[0]?.milliseconds ?? 0) - (a.blocks[0]?.milliseconds ?? 0))[0]
  if (worst) say(describeTurns(worst))
}

const main = async (): Promise<void> => {
  if (values.help) return say(usage)
  const unknown = positionals.filter((name) => !names.includes(name))
  if (unknown.length > 0) throw new Error(`There is no request ${unknown.join(', ')}.\n${usage}`)
  const postgres = await startScratchPostgres()
  try {
    say('milliseconds'.padEnd(22) + ['longest', 'worst', 'second', 'in all'].map((head) => head.padStart(12)).join(''))
    for (const heavy of [...heavyRequests, burst])
      if (positionals.length === 0 || positionals.includes(heavy.name)) {
        const watched = await startWatched(
          await postgres.createDatabase(`blocks_${heavy.name.replaceAll('-', '_')}`),
          { NOEMA_EMBEDDINGS: 'off' },
          values.causes,
        )
        try {
          await measure(watched, heavy)
        } finally {
          await watched.noema.stop()
        }
      }
  } finally {
    await postgres.stop()
  }
}

await main()
