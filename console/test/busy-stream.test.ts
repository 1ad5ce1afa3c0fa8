import { expect, test } from 'vitest'
import { type Call, createBrainCaller } from './callers.ts'
import { signUp } from './member.ts'
import { provideBrowser } from './provide-browser.ts'
import { provideService } from './provide-service.ts'

// The overview of a Brain that is written to all the time. The test counts renders, not time.

let call: Call

const service = provideService()
const browser = provideBrowser(
  () => service,
  async () => {
    const headers = await signUp(service, browser, 'busy@example.com')
    await service.request('PUT', '/v1/brains/busy', { headers, body: {} })
    call = createBrainCaller(service, headers, 'busy')
  },
)

/** Records when the count of events below the stream changes. A string, because it runs in the page. */
const countPaints = `{
  const foot = document.querySelector('.stream-foot')
  window.paints = []
  new MutationObserver(() => window.paints.push(performance.now()))
    .observe(foot, { characterData: true, childList: true, subtree: true })
}`

const batches = 30
const perBatch = 200

const writeBatch = (batch: number) =>
  call('POST', '/batch', {
    operations: Array.from({ length: perBatch }, (_, index) => ({
      ...{ op: 'record.put', id: `reading-${batch}-${index}`, kind: 'reading' },
      fields: { value: batch * perBatch + index },
    })),
  })

test('a burst of thousands of events is shown by a few renders a second, and each event is counted', async () => {
  const { page } = browser
  await page.goto('/brains/busy')
  await page.getByText('No events yet').waitFor()
  await writeBatch(0)
  await page.getByText(`${perBatch} events`, { exact: true }).waitFor()
  await page.evaluate(countPaints)
  for (let batch = 1; batch < batches; batch++) await writeBatch(batch)
  const all = (batches * perBatch).toLocaleString('en')
  await page.getByText(`${all} events, the newest 200 shown`).waitFor()
  const paints = await page.evaluate<number[]>('window.paints')
  const seconds = ((paints.at(-1) ?? 0) - (paints[0] ?? 0)) / 1000
  expect(paints.length).toBeLessThanOrEqual(2 + 4 * seconds)
  expect(await page.locator('.event').count()).toBe(200)
  await expect.poll(() => page.locator('.stat').allTextContents()).toEqual(expect.arrayContaining([`Records${all}`]))
})

test('an event that arrives alone is marked as new, and those of a burst are not', async () => {
  const { page } = browser
  const marked = page.locator('.event[data-marked="true"]')
  const before = await marked.count()
  expect(before).toBeLessThanOrEqual(20)
  await call('PUT', '/records/alone', { kind: 'reading', fields: { value: 1 } })
  await page.locator('.event[data-marked="true"]:first-child').filter({ hasText: 'alone' }).waitFor()
  expect(await marked.count()).toBe(before + 1)
})
