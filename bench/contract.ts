import { execFile } from 'node:child_process'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { openChecker } from './contract/checker.ts'
import { readParts } from './contract/document.ts'
import { startWatch } from './contract/watch.ts'
import { startServer } from './parts/child.ts'
import { createScratchFolder } from './parts/scratch-postgres.ts'
import { benchOrigin, signInAt } from './parts/session.ts'

// Lets an independent checker test the service by its document: Specmatic generates valid and invalid requests, and
// compares the answers with it. Needs Java and npm. It goes through the operations of the document, two at a time, each for a
// limited number of seconds from its first request on: `npm run contract -- [seconds] [area or operation …]`.

const minRequests = 5_000
const [givenSeconds = '3', ...requested] = process.argv.slice(2)
const seconds = Number(givenSeconds)
const lanes = 2

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
const minting = ['cli/src/main.ts', 'keys', 'mint']
const minted = await promisify(execFile)(process.execPath, minting, {
  env: { ...process.env, NOEMA_DATA_DIR: dataDir },
})
const key = /nsk_\w+/.exec(minted.stdout)?.[0] ?? ''
const { headers: session } = await signInAt(service, account)
const watch = await startWatch({ port: service.port, key, session, ...(await prepare(service.port, key)) })
const address = `http://127.0.0.1:${watch.port}`

const countEach = (rules: readonly string[]): string =>
  Object.entries(Object.groupBy(rules, (rule) => rule))
    .map(([rule, same = []]) => `, ${same.length} × ${rule}`)
    .join('')

const { parts, all } = readParts(address)
const tried = parts.filter(
  ({ area, operation }) => requested.length === 0 || requested.includes(area) || requested.includes(operation),
)
const checker = await openChecker(folder, address, seconds)
const [first] = parts
if (first !== undefined) await checker.warmUp(first)
let remarks = 0
const remaining = [...tried]
const tryRemaining = async (): Promise<void> => {
  for (let part = remaining.shift(); part !== undefined; part = remaining.shift()) {
    const { area, operation } = part
    const rules = await checker.try(part, watch.awaitRequest(operation))
    remarks += rules.length
    say(`${area}, ${operation}: ${watch.report().operations.get(operation) ?? 0} requests${countEach(rules)}`)
  }
}
await Promise.all(Array.from({ length: lanes }, tryRemaining))
const { count, statuses, operations, violations } = watch.report()
watch.close()
await service.stop()
const missed = tried.map(({ operation }) => operation).filter((operation) => !operations.has(operation))
say(
  `${count} requests to ${tried.length - missed.length} operations of ${tried.length} that are tried, of ${all} in all`,
)
if (missed.length > 0) say(`not reached: ${missed.join(', ')}`)
say(`answers by status: ${JSON.stringify(statuses)}`)
say(`remarks of Specmatic: ${remarks}`)
for (const [what, body] of violations) say(`violation: ${what}\n  ${body}`)
if (process.env.NOEMA_KEEP_LOG === undefined) await rm(folder, { recursive: true, force: true })
else say(folder)
process.exitCode = violations.length > 0 || missed.length > 0 || count < minRequests ? 1 : 0
