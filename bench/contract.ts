import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Part, readParts } from './contract/document.ts'
import { startWatch } from './contract/watch.ts'
import { startServer } from './parts/child.ts'
import { createScratchFolder } from './parts/scratch-postgres.ts'
import { benchOrigin, signInAt } from './parts/session.ts'

// Lets an independent checker test the service by its document: Specmatic generates valid and invalid requests, and
// compares the answers with it. Needs Java and npx. One operation of the document after the other, each for a limited
// number of seconds: `npx node bench/contract.ts [seconds] [area or operation …]`.

const checker = 'specmatic@2.55.1'
const minRequests = 5_000
const [givenSeconds = '15', ...requested] = process.argv.slice(2)
const seconds = Number(givenSeconds)
/** The share of Specmatic's possible combinations in the bodies of one operation. */
const combinations = '20'

const say = (text: string): void => void process.stdout.write(`${text}\n`)

const rate = '100000/1000000'
const account = { email: 'checker@example.com', password: 'correct horse battery' }
const settings = {
  NOEMA_PORT: '0',
  NOEMA_EMBEDDINGS: 'off',
  NOEMA_BOOTSTRAP_EMAIL: account.email,
  NOEMA_BOOTSTRAP_PASSWORD: account.password,
  NOEMA_ADMIN_EMAILS: account.email,
  NOEMA_TRUSTED_ORIGINS: benchOrigin,
  NOEMA_ADDRESS_RATE: rate,
  NOEMA_FAILURE_RATE: rate,
  NOEMA_TIERS: '{"free":{"rate":{"perSecond":100000,"burst":1000000}}}',
}

const run = async (
  command: string,
  args: readonly string[],
  { env, cwd, log }: { env: Record<string, string>; cwd?: string; log?: string },
) => {
  const child = spawn(command, args, {
    ...(cwd !== undefined && { cwd }),
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'ignore'],
    detached: true,
  })
  let text = ''
  child.stdout.on('data', (chunk: Buffer) => {
    text += log === undefined ? String(chunk) : ''
  })
  if (log !== undefined) child.stdout.pipe(createWriteStream(log))
  const timer = setTimeout(() => child.pid && process.kill(-child.pid, 'SIGTERM'), seconds * 1000)
  await once(child, 'close')
  clearTimeout(timer)
  return text
}

/** A Brain with one thing of each kind, for requests that are aimed at what exists. */
const prepare = async (port: number, key: string) => {
  const call = async (method: string, path: string, body: object) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, { method, headers, body: JSON.stringify(body) })
    if (!answer.ok) throw new Error(`${method} ${path}: ${await answer.text()}`)
    return (await answer.json()) as {
      data: { statement: { id: string }; change: { id: string }; agent: { id: string } }
    }
  }
  const handle = 'checked'
  await call('PUT', `/v1/brains/${handle}`, {})
  const path = `/v1/brains/${handle}`
  await call('PUT', `${path}/records/first`, { kind: 'thing', fields: { name: 'First' } })
  await call('POST', `${path}/documents`, { id: 'page', text: 'A page about the first thing.' })
  const { data } = await call('POST', `${path}/statements`, {
    subject: { id: 'first', kind: 'thing' },
    predicate: 'is',
    object: { value: 'here' },
  })
  const agent = await call('POST', '/v1/agents', { name: 'reader', instructions: '', model: 'noema/extractive' })
  const ids = { records: 'first', documents: 'page', statements: data.statement.id, agents: agent.data.agent.id }
  return { handle, ids: { ...ids, changes: data.change.id } }
}

const folder = await createScratchFolder()
const dataDir = join(folder, 'data')
const service = await startServer({ script: 'server/src/main.ts', env: { ...settings, NOEMA_DATA_DIR: dataDir } })
const minted = await run('node', ['cli/src/main.ts', 'keys', 'mint'], { env: { NOEMA_DATA_DIR: dataDir } })
const key = /nsk_\w+/.exec(minted)?.[0] ?? ''
const { headers: session } = await signInAt(service, account)
const watch = await startWatch({ port: service.port, key, session, ...(await prepare(service.port, key)) })
const address = `http://127.0.0.1:${watch.port}`

const statusRule = 'R0002'

const countEach = (rules: readonly string[]): string =>
  Object.entries(Object.groupBy(rules, (rule) => rule))
    .map(([rule, same = []]) => `, ${same.length} × ${rule}`)
    .join('')

/**
 * Runs Specmatic, which leaves its reports in its folder, on a part of the document, and returns the broken rules, except
 * those of statuses: it expects a success from any generated request.
 */
const tryPart = async ({ operation, document }: Part): Promise<string[]> => {
  const [described, log] = [join(folder, `${operation}.json`), join(folder, `${operation}.log`)]
  await writeFile(described, JSON.stringify(document))
  const env = {
    ...{ bearer: 'key', SPECMATIC_GENERATIVE_TESTS: 'true', _JAVA_OPTIONS: '-Xmx900m' },
    MAX_TEST_REQUEST_COMBINATIONS: combinations,
  }
  await run('npx', ['--yes', checker, 'test', described, `--testBaseURL=${address}`], { env, cwd: folder, log })
  const rules = [...(await readFile(log, 'utf8')).matchAll(/^\s+(R\d{4}): /gm)].map(([, rule = '']) => rule)
  return rules.filter((rule) => rule !== statusRule)
}

const { parts, all } = readParts(address)
const tried = parts.filter(
  ({ area, operation }) => requested.length === 0 || requested.includes(area) || requested.includes(operation),
)
let remarks = 0
for (const part of tried) {
  const before = watch.report().count
  const rules = await tryPart(part)
  remarks += rules.length
  say(`${part.area}, ${part.operation}: ${watch.report().count - before} requests${countEach(rules)}`)
}
const { count, statuses, operations, violations } = watch.report()
watch.close()
await service.stop()
say(`${count} requests to ${operations.size} operations of ${tried.length} that are tried, of ${all} in all`)
const missed = tried.map(({ operation }) => operation).filter((operation) => !operations.has(operation))
if (missed.length > 0) say(`not reached: ${missed.join(', ')}`)
say(`answers by status: ${JSON.stringify(statuses)}`)
say(`remarks of Specmatic: ${remarks}`)
for (const [what, body] of violations) say(`violation: ${what}\n  ${body}`)
if (process.env.NOEMA_KEEP_LOG === undefined) await rm(folder, { recursive: true, force: true })
else say(folder)
process.exitCode = violations.length > 0 || operations.size < tried.length || count < minRequests ? 1 : 0
