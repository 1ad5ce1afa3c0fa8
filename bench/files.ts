import { readFileSync, writeFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { type FileClient, type Moved, startFileClient } from './files/file-client.ts'
import { type ServerProcess, startServer } from './parts/child.ts'
import { type Noema, startNoema } from './parts/noema.ts'
import { type ScratchDatabase, startScratchPostgres } from './parts/scratch-postgres.ts'
import { percentile } from './parts/statistics.ts'
import { signUpAccount, trustedOrigin } from './tenants/account.ts'

const help = `Sends and reads many large files at once: from chunks in PostgreSQL, and from a store with the API of S3. It prints the
rate next to bare node:http that sends as many bytes, the most memory of the service, the latency of another organization
meanwhile, and what is left of reads that break off.

  node bench/files.ts [--megabytes 64] [--readers 32] [postgres] [s3]`

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    megabytes: { type: 'string', default: '64' },
    readers: { type: 'string', default: '32' },
    help: { type: 'boolean', default: false },
  },
})
const say = (text: string) => process.stdout.write(`${text}\n`)
if (values.help) {
  say(help)
  process.exit()
}
const MiB = 1024 * 1024
const fileBytes = Number(values.megabytes) * MiB
const readers = Number(values.readers)
/** Uploaded files; several readers read each. */
const files = 8
const places = ['postgres', 's3'].filter((place) => positionals.length === 0 || positionals.includes(place))

/** Resets the recorded maximum of the memory of a process. */
const resetPeak = ({ pid }: ServerProcess): void => writeFileSync(`/proc/${pid}/clear_refs`, '5')
const readPeak = ({ pid }: ServerProcess): number =>
  Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1_024
const toRate = ({ bytes, seconds }: Moved): number => bytes / MiB / seconds

type Bench = { noema: Noema; floor: ServerProcess; client: FileClient; database: ScratchDatabase }

const checkStatuses = ({ statuses }: Moved): void => {
  if (statuses.some((status) => status > 201)) throw new Error(`Statuses: ${[...new Set(statuses)].join(', ')}`)
}

/** Moves the same bytes by the floor and by the service, and prints both rates and the memory. */
const compare = async (
  name: string,
  { noema, floor, client }: Bench,
  given: { paths: string[]; sendBytes?: number },
) => {
  const bare = await client.run({ ...given, port: floor.port, key: '' })
  resetPeak(noema)
  const before = noema.residentMegabytes() ?? Number.NaN
  const moved = await client.run({ ...given, port: noema.port, key: noema.key })
  checkStatuses(moved)
  const ratio = toRate(moved) / toRate(bare)
  say(
    `  ${name}: ${toRate(moved).toFixed(0)} MiB/s, bare node:http ${toRate(bare).toFixed(0)} MiB/s (ratio ${ratio.toFixed(2)}); ` +
      `memory ${before.toFixed(0)} MiB before, ${readPeak(noema).toFixed(0)} MiB at most`,
  )
}

/** The latencies of reads of a record by another organization, 50 a second, in milliseconds: infinite if it was refused. */
const watch = async (port: number, seconds: number): Promise<number[]> => {
  const account = await signUpAccount(port)
  await account.send('PUT', '/v1/brains/other', {})
  await account.send('PUT', '/v1/brains/other/records/one', { kind: 'thing', fields: { name: 'One' } })
  const latencies: number[] = []
  const end = performance.now() + seconds * 1_000
  const asked: Promise<void>[] = []
  while (performance.now() < end) {
    asked.push(
      (async () => {
        const began = performance.now()
        const { status } = await account.send('GET', '/v1/brains/other/records/one')
        latencies.push(status === 200 ? performance.now() - began : Number.POSITIVE_INFINITY)
      })(),
    )
    await pause(20)
  }
  await Promise.all(asked)
  return latencies.sort((a, b) => a - b)
}

const describe = (latencies: number[]): string =>
  `p50 ${percentile(latencies, 0.5).toFixed(1)} ms, p99 ${percentile(latencies, 0.99).toFixed(1)} ms`

const seconds = 10

/** The latency of another organization without and with readers, who then break off, and what is left of them. */
const disturb = async ({ noema, client, database }: Bench, paths: string[]) => {
  say(`  another organization alone: ${describe(await watch(noema.port, seconds))}`)
  resetPeak(noema)
  const [latencies, moved] = await Promise.all([
    watch(noema.port, seconds),
    client.run({ port: noema.port, key: noema.key, paths, seconds: seconds + 1 }),
  ])
  say(
    `  with ${readers} readers (${toRate(moved).toFixed(0)} MiB/s, which the rate of one organization among several limits): ` +
      `${describe(latencies)}; ${readPeak(noema).toFixed(0)} MiB at most`,
  )
  await pause(2_000)
  const { rows } = await database.pool.query(
    `select count(*)::integer as count from pg_stat_activity
     where datname = current_database() and state <> 'idle' and pid <> pg_backend_pid()`,
  )
  const again = await client.run({ port: noema.port, key: noema.key, paths, seconds: 2 })
  say(
    `  2 seconds after they broke off: ${rows[0].count} busy connections to the database, ` +
      `${(noema.residentMegabytes() ?? 0).toFixed(0)} MiB; ${readers} new readers: ${toRate(again).toFixed(0)} MiB/s`,
  )
}

const upload = (name: string) => `/v1/artifacts?path=${name}`

const run = async (place: string): Promise<void> => {
  const postgres = await startScratchPostgres()
  const database = await postgres.createDatabase('files')
  const store = place === 's3' ? await startServer({ script: 'bench/floors/object-server.ts' }) : undefined
  const key = 'S3RVER'
  const noema = await startNoema(database, undefined, {
    ...{ NOEMA_EMBEDDINGS: 'off', NOEMA_TRUSTED_ORIGINS: trustedOrigin },
    // One organization gets at most half of a node's slots.
    NOEMA_MAX_FILES: `${2 * readers + 2}/${readers + 1}/${readers + 1}`,
    ...(store && {
      NOEMA_ARTIFACT_S3_URL: `http://127.0.0.1:${store.port}/files/prefix`,
      ...{ NOEMA_ARTIFACT_S3_ACCESS_KEY_ID: key, NOEMA_ARTIFACT_S3_SECRET_ACCESS_KEY: key },
    }),
  })
  const floor = await startServer({ script: 'bench/floors/files-server.ts', args: [String(fileBytes)] })
  const client = startFileClient()
  const bench = { noema, floor, client, database }
  try {
    say(`${place}: files of ${values.megabytes} MiB`)
    await compare('one upload', bench, { paths: [upload('one')], sendBytes: fileBytes })
    const names = Array.from({ length: files }, (_, n) => upload(`file-${n}`))
    await compare(`${files} uploads at once`, bench, { paths: names, sendBytes: fileBytes })
    const { artifacts } = await noema.call<{ artifacts: { id: string }[] }>('GET', '/v1/artifacts?prefix=file-')
    const paths = Array.from({ length: readers }, (_, n) => `/v1/artifacts/${artifacts[n % files]?.id}/content`)
    await compare('one download', bench, { paths: paths.slice(0, 1) })
    await compare(`${readers} downloads at once`, bench, { paths })
    await compare(`${readers} downloads again`, bench, { paths })
    await disturb(bench, paths)
  } finally {
    await client.close()
    for (const server of [noema, floor, store]) await server?.stop()
    await postgres.stop()
  }
}

for (const place of places) await run(place)
