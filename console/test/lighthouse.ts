import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs, promisify } from 'node:util'
import { type BrowserContext, chromium } from 'playwright-core'
import { findFreePort } from '../../bench/parts/free-port.ts'
import { startNoema } from '../../bench/parts/noema.ts'
import { startScratchPostgres } from '../../bench/parts/scratch-postgres.ts'
import { median } from '../../bench/parts/statistics.ts'
import { seed } from './seed.ts'

// Measures the console's main pages with Lighthouse: a real service with content, Debian's Chromium, the preset of desktops or
// that of phones, signed in by cookie. Run: node console/test/lighthouse.ts [--rounds 3] [--mobile] [page …], with parts of the
// pages' paths.

const executablePath = process.env.NOEMA_CHROMIUM || '/usr/bin/chromium'
const version = 'lighthouse@13'
const say = (text: string) => process.stdout.write(`${text}\n`)
const { values, positionals: chosen } = parseArgs({
  allowPositionals: true,
  options: { rounds: { type: 'string', default: '3' }, mobile: { type: 'boolean', default: false } },
})
const rounds = Number(values.rounds)

const categories = ['performance', 'accessibility', 'best-practices'] as const
const goals = { performance: values.mobile ? 85 : 95, accessibility: 100, 'best-practices': 100 }

const pages = [
  '/sign-in',
  '/',
  '/brains',
  '/brains/$handle',
  '/brains/$handle/records',
  '/review',
  '/runs/$id',
  '/brains/$handle/playground',
  '/settings/keys',
] as const

type Audit = { id: string; score: number | null; displayValue?: string; title: string; numericValue?: number }
type Result = {
  categories: Record<string, { score: number | null; auditRefs: { id: string; weight: number }[] }>
  audits: Record<string, Audit>
}

const look = async (url: string, port: number): Promise<Result> => {
  const args = [
    ...['--yes', version, url, `--port=${port}`, ...(values.mobile ? [] : ['--preset=desktop']), '--quiet'],
    ...['--output=json', '--output-path=stdout', `--only-categories=${categories.join(',')}`],
  ]
  const { stdout } = await promisify(execFile)('npx', args, { maxBuffer: 64 * 1024 * 1024 })
  return JSON.parse(stdout)
}

const toScore = (result: Result, category: string): number =>
  Math.round((result.categories[category]?.score ?? 0) * 100)

/** The reasons why a page lacks points in a category. */
const listLacks = (result: Result, category: string): string[] =>
  (result.categories[category]?.auditRefs ?? []).flatMap(({ id, weight }) => {
    const audit = result.audits[id]
    const isLacking = audit && weight > 0 && audit.score !== null && audit.score < 0.9
    return isLacking ? [`${id} ${audit.displayValue ?? ''}`.trim()] : []
  })

const toMilliseconds = (results: Result[], id: string): number =>
  Math.round(median(results.map(({ audits }) => audits[id]?.numericValue ?? 0)))

const email = 'bench@example.com'

/** Creates an account in the browser's own session. Returns a function that calls the service with it. */
const signUp = async ({ request }: BrowserContext, origin: string) => {
  const data = { email, password: 'correct horse battery', name: 'Bench' }
  await request.post('/api/auth/sign-up/email', { headers: { origin }, data })
  const whoami = await (await request.get('/v1/whoami', { headers: { origin } })).json()
  const headers = { origin, 'x-organization-id': String(whoami.data.organizations[0].id) }
  return async (method: string, path: string, body?: object) => {
    const answer = await request.fetch(path, { method, headers, ...(body && { data: body }) })
    if (!answer.ok()) throw new Error(`${method} ${path}: ${answer.status()} ${await answer.text()}`)
    return (await answer.json()).data
  }
}

const [port, debugPort] = [await findFreePort(), await findFreePort()]
const origin = `http://127.0.0.1:${port}`
const postgres = await startScratchPostgres()
const settings = {
  ...{ NOEMA_PORT: String(port), NOEMA_PUBLIC_URL: origin, NOEMA_EMBEDDINGS: 'off', NOEMA_ADMIN_EMAILS: email },
  // The pages name receivers and providers on this machine.
  ...{ NOEMA_WEBHOOK_ALLOW: '127.0.0.1:*', NOEMA_PROVIDER_ALLOW: '127.0.0.1:*', NOEMA_CONNECTOR_ALLOW: '127.0.0.1:*' },
}
const database = await postgres.createDatabase('lighthouse')
const noema = await startNoema(database, undefined, settings)
const profile = await mkdtemp(join(tmpdir(), 'noema-lighthouse-'))
const context = await chromium.launchPersistentContext(profile, {
  executablePath,
  args: ['--headless', '--no-sandbox', '--disable-quic', `--remote-debugging-port=${debugPort}`],
  baseURL: origin,
})

const lookOften = async (path: string, address: string) => {
  const results: Result[] = []
  for (let round = 0; round < rounds; round++) results.push(await look(`${origin}${address}`, debugPort))
  const scores = categories.map((category) => median(results.map((result) => toScore(result, category))))
  const times = ['first-contentful-paint', 'largest-contentful-paint', 'total-blocking-time'].map((id) =>
    toMilliseconds(results, id),
  )
  const shift = median(results.map(({ audits }) => audits['cumulative-layout-shift']?.numericValue ?? 0)).toFixed(3)
  say(`| ${path} | ${scores.join(' | ')} | ${times.join(' | ')} | ${shift} |`)
  const [last] = results.slice(-1)
  for (const category of categories)
    if (last && toScore(last, category) < goals[category]) say(`  ${category}: ${listLacks(last, category).join('; ')}`)
}

const isChosen = (path: string) =>
  chosen.length === 0 || chosen.some((word) => (word === '/' ? path === word : path.includes(word)))

say(`| page | ${categories.join(' | ')} | first paint ms | largest paint ms | blocked ms | shift |`)
say(`|${' --- |'.repeat(8)}`)
if (isChosen('/sign-in')) await lookOften('/sign-in', '/sign-in')
const call = await signUp(context, origin)
await database.pool.query(`update "user" set "emailVerified" = true, proven_at = now()`)
const toAddress = await seed(call)
const [page = await context.newPage()] = context.pages()
// A returning person was signed in before.
await page.goto('/')
await page.getByRole('heading').first().waitFor()
await page.goto('about:blank')
for (const path of pages.slice(1)) if (isChosen(path)) await lookOften(path, toAddress(path) ?? path)
await context.close()
await noema.stop()
await postgres.stop()
await rm(profile, { recursive: true, force: true })
