import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient } from '@noema/sdk'
import { mintManagementKey } from '../server/src/operator/operator.ts'
import { createLog } from '../server/src/shared/log.ts'
import { openDatabase } from '../server/src/storage/database.ts'
import { openEmbeddedPostgres } from '../server/src/storage/embedded/embedded-postgres.ts'

// How fast a Brain is imported and exported, beside a raw COPY of the same rows in the same run, and how much memory the
// server takes for it. Run: node bench/export.ts [records]

const count = Number(process.argv[2] ?? 300_000)
const say = (text: string) => process.stdout.write(`${text}\n`)
const seconds = (since: number) => (performance.now() - since) / 1000

const recordLine = (index: number): string => {
  const id = `rec_${String(index).padStart(9, '0')}`
  const fields = {
    name: `Person ${index}`,
    email: `person${index}@example.com`,
    notes: 'What is known of them. '.repeat(4),
  }
  const at = '2026-03-01T12:00:00.000Z'
  const provenance = { change: 'chg_bench', key: 'key_bench' }
  const content = { id, kind: 'person', slug: null, fields, links: [], version: 1, stateVersion: 1, provenance }
  return JSON.stringify({ record: { ...content, createdAt: at, updatedAt: at } })
}

/** An export of that many records, made as it is read. */
async function* madeExport() {
  const hash = createHash('sha256')
  const settings = { name: null, purpose: null, mode: 'direct', reviewRules: {} }
  const header = {
    format: 'noema-brain',
    version: 1,
    history: false,
    brain: settings,
    stateVersion: 1,
    schemaVersion: 0,
  }
  let text = `${JSON.stringify({ header })}\n`
  for (let index = 0; index < count; index++) {
    text += `${recordLine(index)}\n`
    if (text.length < 256 * 1024) continue
    hash.update(text)
    yield Buffer.from(text)
    text = ''
  }
  hash.update(text)
  const counts = { schemas: 0, changes: 0, records: count, statements: 0, documents: 0, dates: 0 }
  yield Buffer.from(`${text}${JSON.stringify({ trailer: { ...counts, sha256: hash.digest('hex') } })}\n`)
}

/** The resident memory of a process in MiB, now and at its highest. */
const readMemory = (pid: number | undefined) => {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const read = (name: string) => Math.round(Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]) / 1024)
  return `${read('VmRSS')} MiB, at most ${read('VmHWM')} MiB`
}

const startServer = async (databaseUrl: string, port: number) => {
  const env = {
    ...process.env,
    NOEMA_DATABASE_URL: databaseUrl,
    NOEMA_SECRET: 's'.repeat(48),
    NOEMA_PORT: String(port),
  }
  const main = new URL('../cli/src/main.ts', import.meta.url).pathname
  const server = spawn(process.execPath, [main, 'serve'], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  server.stdout.resume()
  for (;;) {
    const answer = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined)
    if (answer?.ok) return server
    if (server.exitCode !== null) throw new Error('The server did not start.')
  }
}

const rawCopy = async (connectionString: string) => {
  const { pool, close } = openDatabase(connectionString, createLog('error'), 1)
  const begun = performance.now()
  await pool.query('copy (select record::text from record_versions order by brain_id, id) to stdout')
  const took = seconds(begun)
  await close()
  return count / took
}

const dataDir = await mkdtemp(join(tmpdir(), 'noema-bench-export-'))
await chmod(dataDir, 0o755)
const postgres = await openEmbeddedPostgres({ dataDir, log: createLog('error'), ownership: 'exclusive' })
const { host, port, user } = postgres.connection
const databaseUrl = `postgres://${user}@localhost/postgres?host=${encodeURIComponent(host)}&port=${port}`
const server = await startServer(databaseUrl, 4188)
try {
  const env = { NOEMA_DATABASE_URL: databaseUrl, NOEMA_SECRET: 's'.repeat(48) }
  const { secret } = await mintManagementKey({ name: 'bench', cwd: dataDir, env })
  const client = createClient({ baseUrl: 'http://127.0.0.1:4188', apiKey: secret })
  await client.brains.put('bench')
  say(`server before: ${readMemory(server.pid)}`)
  const imported = performance.now()
  await client.brain('bench').import(ReadableStream.from(madeExport()) as ReadableStream<Uint8Array>)
  say(`import: ${Math.round(count / seconds(imported))} records/s; server ${readMemory(server.pid)}`)
  for (const history of [false, true, false]) {
    const copied = await rawCopy(databaseUrl)
    const exported = performance.now()
    let bytes = 0
    for await (const chunk of await client.brain('bench').export({ history })) bytes += chunk.length
    const rate = count / seconds(exported)
    const size = `${Math.round(bytes / 2 ** 20)} MiB`
    say(
      `export (history ${history}): ${Math.round(rate)} records/s, ${size}; raw COPY ${Math.round(copied)} records/s, ratio ${(rate / copied).toFixed(2)}; server ${readMemory(server.pid)}`,
    )
  }
} finally {
  server.kill('SIGTERM')
  if (server.exitCode === null) await once(server, 'exit')
  await postgres.stop()
  await rm(dataDir, { recursive: true, force: true })
}
