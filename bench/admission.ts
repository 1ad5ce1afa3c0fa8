import { getRecord } from '@noema/contracts/records.ts'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { sql } from 'kysely'
import { createKeyAuthentication } from '../server/src/access/authenticate-key.ts'
import { createSessionAuthentication } from '../server/src/access/authenticate-session.ts'
import { authorize } from '../server/src/access/authorize.ts'
import type { Principal } from '../server/src/access/principal.ts'
import type { App } from '../server/src/app.ts'
import { createAuthenticate } from '../server/src/http/admission/authenticate.ts'
import { createInFlight } from '../server/src/http/admission/in-flight.ts'
import { createRateLimit } from '../server/src/http/admission/rate-limit.ts'
import { mintManagementKey } from '../server/src/operator/operator.ts'
import { openApp } from './parts/open-app.ts'
import { startScratchPostgres } from './parts/scratch-postgres.ts'
import { percentile } from './parts/statistics.ts'

// What it costs to let a request in: who calls, whether they may, at what rate, among how many at once, and the caps of a write.
// The pieces are called in this process, in turn, so that a slow moment of the machine falls on all. Run: node bench/admission.ts

const rounds = 3_000
const goalMilliseconds = 0.5
const handle = 'bench'
const say = (text: string): void => void process.stdout.write(`${text}\n`)

type Piece = { name: string; run(): Promise<unknown> }
type Measured = { milliseconds: number[]; cpuMicroseconds: number }

const cpuMicroseconds = (): number => {
  const { user, system } = process.threadCpuUsage()
  return user + system
}

/** Runs pieces in turn, and answers how long each took, by the clock and of this thread's processor time. */
const measure = async (pieces: readonly Piece[], count: number): Promise<Map<string, Measured>> => {
  const all = new Map(pieces.map(({ name }): [string, Measured] => [name, { milliseconds: [], cpuMicroseconds: 0 }]))
  for (let round = -count / 10; round < count; round++)
    for (const { name, run } of pieces) {
      const [cpu, began] = [cpuMicroseconds(), performance.now()]
      await run()
      const [took, used] = [performance.now() - began, cpuMicroseconds() - cpu]
      const measured = all.get(name)
      if (round < 0 || !measured) continue
      measured.milliseconds.push(took)
      measured.cpuMicroseconds += used
    }
  return all
}

const tell = (all: ReadonlyMap<string, Measured>): void => {
  say('what'.padEnd(58) + ['p50 ms', 'p99 ms', 'CPU µs'].map((head) => head.padStart(10)).join(''))
  for (const [name, { milliseconds, cpuMicroseconds: cpu }] of all) {
    const sorted = Float64Array.from(milliseconds).sort()
    const cells = [
      percentile(sorted, 0.5).toFixed(3),
      percentile(sorted, 0.99).toFixed(3),
      (cpu / sorted.length).toFixed(0),
    ]
    say(name.padEnd(58) + cells.map((cell) => cell.padStart(10)).join(''))
  }
}

/** A request as the pieces read it, and a reply that takes headers. */
const createExchange = (secret: string) => {
  const request = { headers: { authorization: `Bearer ${secret}` }, ip: '127.0.0.1', params: { handle } }
  const raw = { destroyed: false, once: () => raw, leave: () => undefined }
  const reply = { header: () => reply, raw }
  return { request: request as unknown as FastifyRequest, reply: reply as unknown as FastifyReply }
}

const createPieces = (app: App, secret: string): Piece[] => {
  const { deps, accounts } = app
  const sessions = createSessionAuthentication(deps)
  const keys = createKeyAuthentication(deps)
  const authenticate = createAuthenticate({ keys, sessions, accounts, trusted: new Set() })
  const places = { node: 256, organization: 128, key: 128 }
  const rateLimit = createRateLimit(deps, createInFlight(places, 1_000))
  let known: Principal | undefined
  const findWho = async () => {
    known = await authenticate(createExchange(secret).request, handle)
    return known
  }
  const admit = async (find: () => Promise<Principal>) => {
    const { request, reply } = createExchange(secret)
    const principal = await rateLimit.admit(request, reply, find)
    await authorize(deps, getRecord, principal, handle)
    request.leave()
  }
  return [
    { name: 'a prepared statement that asks for nothing', run: () => deps.prepared(sql<{ one: 1 }>`select 1 as one`) },
    { name: 'who calls (one prepared statement)', run: findWho },
    { name: 'rate, places and rights of who is known', run: () => admit(async () => known ?? findWho()) },
    { name: 'all of it', run: () => admit(findWho) },
  ]
}

/** Writes by the tier of the account: staff has no caps. */
const createWrites = (url: string, secret: string, setTier: (tier: string) => Promise<unknown>): Piece[] => {
  let n = 0
  const write = async (tier: string) => {
    const response = await fetch(`${url}/v1/brains/${handle}/records`, {
      method: 'POST',
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
      body: JSON.stringify({ kind: 'note', fields: { n: n++ } }),
    })
    if (!response.ok) throw new Error(`a write of ${tier} was answered ${response.status}: ${await response.text()}`)
    await response.text()
  }
  return ['staff', 'free'].flatMap((tier) => [
    { name: `(the account becomes ${tier})`, run: () => setTier(tier) },
    { name: `a write over HTTP, ${tier === 'staff' ? 'without caps' : 'with caps'}`, run: () => write(tier) },
  ])
}

const postgres = await startScratchPostgres()
try {
  const database = await postgres.createDatabase('admission')
  const secretOfService = 'benchmarks-only-benchmarks-only-benchmarks'
  const env = { NOEMA_DATABASE_URL: database.url, NOEMA_SECRET: secretOfService }
  const { secret } = await mintManagementKey({ name: 'bench', cwd: '/', env })
  const setTier = (tier: string) => database.pool.query('update organization set tier = $1', [tier])
  // Tokens are taken as always; that none is left is not what is measured.
  const app = await openApp(database.url, { NOEMA_FREE_RATE: '1000000/1000000' })
  const { url } = await app.listen()
  const made = await fetch(`${url}/v1/brains/${handle}`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    body: '{}',
  })
  if (!made.ok) throw new Error(`the Brain was not made: ${await made.text()}`)
  await setTier('free')
  const pieces = await measure(createPieces(app, secret), rounds)
  tell(pieces)
  const whole = Float64Array.from(pieces.get('all of it')?.milliseconds ?? []).sort()
  say(
    `all of it at most ${goalMilliseconds} ms p50: ${percentile(whole, 0.5) <= goalMilliseconds ? 'met' : 'NOT MET'}\n`,
  )
  tell(await measure(createWrites(url, secret, setTier), rounds / 10))
  await app.close()
} finally {
  await postgres.stop()
}
