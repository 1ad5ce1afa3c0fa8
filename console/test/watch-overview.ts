import { setTimeout as pause } from 'node:timers/promises'
import { startMeasuredConsole } from './measured-console.ts'

// Measures the overview of a Brain that is written to all the time: the CPU time of the page's main thread as a share of one core,
// and how often its list of events is rendered. Run: node console/test/watch-overview.ts [events a second] [seconds] [rounds]

const rate = Number(process.argv[2] ?? 1_000)
const seconds = Number(process.argv[3] ?? 10)
const rounds = Number(process.argv[4] ?? 3)
const batchesPerSecond = 10
const say = (text: string) => process.stdout.write(`${text}\n`)

const measured = await startMeasuredConsole()
const { page, call } = measured
await call('PUT', '/v1/brains/busy', {})

let batches = 0
/** Writes at the rate for some seconds, and returns how many events a second were written. */
const write = async (length: number): Promise<number> => {
  const began = performance.now()
  let written = 0
  for (let n = 0; n < length * batchesPerSecond; n++) {
    const batch = ++batches
    const operations = Array.from({ length: Math.round(rate / batchesPerSecond) }, (_, index) => ({
      ...{ op: 'record.put', id: `reading-${batch}-${index}`, kind: 'reading' },
      fields: { value: index, sensor: `sensor ${index % 7}`, note: 'Seen twice.' },
    }))
    await call('POST', '/v1/brains/busy/batch', { operations })
    written += operations.length
    await pause(Math.max(0, began + ((n + 1) * 1_000) / batchesPerSecond - performance.now()))
  }
  return written / ((performance.now() - began) / 1_000)
}

const shares = ['TaskDuration', 'ScriptDuration', 'RecalcStyleDuration', 'LayoutDuration'] as const

/** Counts when the list of events changes. A string, because it runs in the page. */
const countChanges = `{
  window.changes = 0
  window.observer?.disconnect()
  window.observer = new MutationObserver(() => window.changes++)
  window.observer.observe(document.querySelector('.events'), { childList: true })
}`

await write(1)
await page.goto('/brains/busy')
await page.locator('.event').first().waitFor()
const devtools = await page.context().newCDPSession(page)
await devtools.send('Performance.enable', { timeDomain: 'threadTicks' })
const readSeconds = async () => {
  const { metrics } = await devtools.send('Performance.getMetrics')
  return new Map(metrics.map(({ name, value }) => [name, value]))
}
for (let round = 1; round <= rounds; round++) {
  await write(2)
  await page.evaluate(countChanges)
  const [before, began] = [await readSeconds(), performance.now()]
  const written = await write(seconds)
  const [after, wall] = [await readSeconds(), (performance.now() - began) / 1_000]
  const changes = (await page.evaluate<number>('window.changes')) / wall
  const parts = shares.map((name) => {
    const busy = (after.get(name) ?? 0) - (before.get(name) ?? 0)
    return `${name.replace('Duration', '')} ${((busy / wall) * 100).toFixed(1)} %`
  })
  say(`${written.toFixed(0)} events a second: ${parts.join(', ')} of a core; ${changes.toFixed(1)} renders a second`)
}
await measured.close()
