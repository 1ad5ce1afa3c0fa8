import { parseArgs } from 'node:util'
import { type Costs, countingSettings, createCostReader, describeStatements, resetStatements } from './parts/costs.ts'
import { type Noema, startNoema } from './parts/noema.ts'
import { type ScratchDatabase, startScratchPostgres } from './parts/scratch-postgres.ts'

// What a capacity plan is made of: bytes on the disk of what is stored, what a write and a search cost the processors, and what
// Brains cost that nobody uses. Run: node bench/capacity.ts [--brains 10000,100000] [--statements]

const { values: given } = parseArgs({
  options: {
    brains: { type: 'string', default: '10000,100000' },
    seconds: { type: 'string', default: '20' },
    statements: { type: 'boolean', default: false },
  },
})
const say = (text: string): void => void process.stdout.write(`${text}\n`)
const wait = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))

type Sizes = ReadonlyMap<string, number>

const readSizes = async ({ pool }: ScratchDatabase): Promise<Sizes> => {
  const { rows } = await pool.query<{ name: string; bytes: string }>(
    `select relname as name, pg_total_relation_size(oid) as bytes from pg_class
     where relnamespace = 'public'::regnamespace and relkind = 'r'`,
  )
  return new Map(rows.map(({ name, bytes }) => [name, Number(bytes)]))
}

const tellGrowth = (what: string, count: number, before: Sizes, after: Sizes): void => {
  const grown = [...after].map(([name, bytes]) => [name, (bytes - (before.get(name) ?? 0)) / count] as const)
  const largest = grown.filter(([, bytes]) => bytes >= 1).sort(([, one], [, other]) => other - one)
  const sum = largest.reduce((total, [, bytes]) => total + bytes, 0)
  say(
    `${what}: ${Math.round(sum)} bytes (${largest.map(([name, bytes]) => `${name} ${Math.round(bytes)}`).join(', ')})`,
  )
}

/** Brains that were written to once, long ago, and that the index has seen. */
const addIdleBrains = async ({ pool }: ScratchDatabase, organizationId: string, from: number, to: number) => {
  await pool.query(
    `insert into brains (id, organization_id, handle, mode, cursor_key, schema_version, position, state_version, created_at,
       updated_at)
     select 'brn_idle' || n, $1, 'idle-' || n, 'direct', sha256(n::text::bytea), 0, 1, 1, now(), now()
     from generate_series($2::int, $3::int) as n`,
    [organizationId, from + 1, to],
  )
  await pool.query(`insert into passage_progress (brain_id, position)
    select brain_id, position from brains where id like 'brn_idle%' on conflict do nothing`)
  await pool.query('vacuum analyze')
}

type Reader = () => Promise<Costs>

const tellCosts = (what: string, count: number, [before, after]: readonly [Costs, Costs]): void => {
  const each = (name: keyof Costs) => ((after[name] - before[name]) / count).toFixed(2)
  say(`${what}: node ${each('process')} ms, PostgreSQL ${each('postgres')} ms of CPU, ${each('statements')} statements`)
}

const measure = async (read: Reader, task: () => Promise<unknown>): Promise<readonly [Costs, Costs]> => {
  const before = await read()
  await task()
  return [before, await read()]
}

const measureIdle = async (database: ScratchDatabase, noema: Noema, read: Reader): Promise<void> => {
  const seconds = Number(given.seconds)
  let present = 0
  for (const count of [0, ...given.brains.split(',').map(Number)]) {
    const before = await readSizes(database)
    if (count > 0) await addIdleBrains(database, noema.organizationId, present, count)
    if (count > 0) tellGrowth('an empty Brain', count - present, before, await readSizes(database))
    present = count
    await resetStatements(database)
    const costs = await measure(read, () => wait(seconds * 1_000))
    tellCosts(`a second with ${count} idle Brains`, seconds, costs)
    say(`  node: ${noema.residentMegabytes()?.toFixed(0)} MB resident`)
    if (given.statements) for (const line of (await describeStatements(database, seconds)).slice(0, 8)) say(`  ${line}`)
  }
}

const path = '/v1/brains/filled'
const toText = (number: number): string =>
  Array.from({ length: 30 }, (_, at) => `word${(number * 7919 + at * 104_729) % 20_000}`).join(' ')
const toRecord = (number: number) => ({ kind: 'note', fields: { title: `Note ${number}`, text: toText(number) } })

const readIndexed = async ({ pool }: ScratchDatabase): Promise<number> => {
  const { rows } = await pool.query<{ passages: number }>(
    `select last_passage::int as passages from passage_progress join brains using (brain_id)
     where handle = 'filled' and passage_progress.position = brains.position`,
  )
  return rows[0]?.passages ?? 0
}

const measureContent = async (database: ScratchDatabase, noema: Noema, read: Reader): Promise<void> => {
  await noema.call('PUT', path, {})
  const [batches, writes, searches] = [10, 1_000, 300]
  const empty = await readSizes(database)
  for (let batch = 0; batch < batches; batch++) {
    const operations = Array.from({ length: 1_000 }, (_, at) => ({
      op: 'record.put',
      id: `b${batch * 1_000 + at}`,
      ...toRecord(batch * 1_000 + at),
    }))
    await noema.call('POST', `${path}/batch`, { operations })
  }
  while ((await readIndexed(database)) === 0) await wait(500)
  const passages = await readIndexed(database)
  await database.pool.query('vacuum analyze')
  const filled = await readSizes(database)
  tellGrowth('a record of 30 words in a batch, with its event and passage', batches * 1_000, empty, filled)
  say(`  ${passages} passages`)
  const write = (from: number, step: number) => async () => {
    for (let number = from; number < writes; number += step)
      await noema.call('POST', `${path}/records`, toRecord(20_000 + number))
  }
  const clients = 16
  const written = await measure(read, () =>
    Promise.all(Array.from({ length: clients }, (_, client) => write(client, clients)())),
  )
  tellCosts('a single write, of 16 clients', writes, written)
  while ((await readIndexed(database)) <= passages) await wait(500)
  const after = await readSizes(database)
  tellGrowth('a record of 30 words by itself, with its event, change and passage', writes, filled, after)
  const searched = await measure(read, async () => {
    for (let number = 0; number < searches; number++)
      await noema.call('GET', `${path}/search?q=word${(number * 7919) % 20_000}+word${(number * 31) % 20_000}`)
  })
  tellCosts(`a search by words among ${passages + writes} passages`, searches, searched)
  const beforeVectors = await readSizes(database)
  await database.pool.query(`insert into passage_vectors (brain_id, space, passage, vector)
    select brain_id, 'capacity', passage, decode(repeat(md5(passage::text), 24), 'hex') from passages`)
  tellGrowth('a vector of 384 dimensions', passages + writes, beforeVectors, await readSizes(database))
}

const run = async (): Promise<void> => {
  const postgres = await startScratchPostgres(countingSettings)
  const database = await postgres.createDatabase('capacity')
  const noema = await startNoema(database, undefined, { NOEMA_EMBEDDINGS: 'off' })
  try {
    const read = await createCostReader(noema.pid, database)
    await measureIdle(database, noema, read)
    await measureContent(database, noema, read)
  } finally {
    await noema.stop()
    await postgres.stop()
  }
}

await run()
