import { createServer } from 'node:net'
import { startNoema } from '../../bench/parts/noema.ts'
import { startScratchPostgres } from '../../bench/parts/scratch-postgres.ts'
import { median } from '../../bench/parts/statistics.ts'
import { openBrowser } from './browser.ts'
import { createBusyReader } from './main-thread.ts'

// How the console's list of records scrolls: a Brain of 100,000 records is scrolled to its end in a real browser, which
// says how long its main thread was kept by any one piece of work, and how much of that it ran itself. Run: node console/test/scroll-records.ts [records] [rounds]

const count = Number(process.argv[2] ?? 100_000)
const rounds = Number(process.argv[3] ?? 5)
const perBatch = 1_000
const say = (text: string) => process.stdout.write(`${text}\n`)

const freePort = async (): Promise<number> => {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  server.close()
  return typeof address === 'object' && address ? address.port : 0
}

const record = (index: number) => ({
  ...{ op: 'record.put', id: `rec-${String(index).padStart(7, '0')}`, kind: 'person' },
  fields: {
    name: `Person ${index}`,
    email: `person${index}@example.com`,
    level: index % 9,
    notes: 'Seen twice. '.repeat(4),
  },
})

const port = await freePort()
const origin = `http://127.0.0.1:${port}`
const postgres = await startScratchPostgres()
const settings = {
  ...{ NOEMA_PORT: String(port), NOEMA_PUBLIC_URL: origin, NOEMA_EMBEDDINGS: 'off' },
  ...{ NOEMA_UNVERIFIED_DAILY_WRITES: '10000000', NOEMA_UNVERIFIED_DAILY_MEGABYTES: '100000' },
}
const noema = await startNoema(await postgres.createDatabase('console'), undefined, settings)
const browser = await openBrowser(origin)
const { page } = browser
const context = page.context()
const headers = { origin }
await context.request.post('/api/auth/sign-up/email', {
  headers,
  data: { email: 'bench@example.com', password: 'correct horse battery', name: 'Bench' },
})
const { data } = await (await context.request.get('/v1/whoami', { headers })).json()
const inOrganization = { ...headers, 'x-organization-id': data.organizations[0].id }
await context.request.put('/v1/brains/large', { headers: inOrganization, data: {} })
for (let first = 0; first < count; first += perBatch) {
  const operations = Array.from({ length: Math.min(perBatch, count - first) }, (_, index) => record(first + index))
  const written = await context.request.post('/v1/brains/large/batch', {
    headers: inOrganization,
    data: { operations },
  })
  if (!written.ok()) throw new Error(await written.text())
}

await page.addInitScript(`
  window.longTasks = []
  new PerformanceObserver((list) => longTasks.push(...list.getEntries().map(({ duration }) => duration)))
    .observe({ type: 'longtask', buffered: true })`)

// By the wheel's way: a screen a frame, as far as there are rows, until the last row is there.
const scrollToEnd = `new Promise((resolve) => {
  const frame = document.querySelector('.data-table')
  const step = () => {
    frame.scrollTop += frame.clientHeight
    if (frame.querySelector('tr[data-row="${count - 1}"]')) resolve()
    else requestAnimationFrame(step)
  }
  step()
})`

// And through what is loaded already, up and down.
const scrollThrough = `new Promise((resolve) => {
  const frame = document.querySelector('.data-table')
  let left = 300
  const step = () => {
    frame.scrollTop = Math.abs(Math.sin(left / 20)) * frame.scrollHeight
    if (left-- === 0) resolve()
    else requestAnimationFrame(step)
  }
  step()
})`

type Measured = { seconds: number; busy: number; long: number; longest: number }

const readBusy = await createBusyReader(page)

const measure = async (script: string): Promise<Measured> => {
  await page.evaluate('longTasks.length = 0')
  const [began, busy] = [performance.now(), await readBusy()]
  await page.evaluate(script)
  const long: number[] = await page.evaluate('longTasks')
  return {
    ...{ seconds: (performance.now() - began) / 1000, busy: (await readBusy()) - busy },
    ...{ long: long.length, longest: Math.max(0, ...long) },
  }
}

const tell = (name: string, all: Measured[]) => {
  const toMedian = (value: (one: Measured) => number) => median(all.map(value)).toFixed(1)
  say(
    `${name}, median of ${all.length}: ${toMedian((one) => one.seconds)} s, of which the main thread ran ` +
      `${toMedian((one) => one.busy)} s; ${toMedian((one) => one.long)} tasks beyond 50 ms, the longest ${toMedian((one) => one.longest)} ms`,
  )
}

const ends: Measured[] = []
const throughs: Measured[] = []
for (let round = 0; round < rounds; round++) {
  await page.goto('/brains/large/records?kind=person')
  await page.locator('tr[data-row]').first().waitFor()
  ends.push(await measure(scrollToEnd))
  throughs.push(await measure(scrollThrough))
}
tell(`${count.toLocaleString('en')} records scrolled to the end`, ends)
tell('Through all that is loaded', throughs)
await browser.close()
await noema.stop()
await postgres.stop()
