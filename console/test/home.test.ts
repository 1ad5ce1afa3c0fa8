import { expect, test } from 'vitest'
import { barriers } from './browser.ts'
import type { Call } from './callers.ts'
import { provideBrowser } from './provide-browser.ts'
import { provideService } from './provide-service.ts'
import { signUpOnPage } from './signed-in.ts'
import { makeReviewedBrains, stageNotes } from './staged-changes.ts'

let call: Call

const service = provideService()
const browser = provideBrowser(
  () => service,
  async () => {
    call = await signUpOnPage(browser, service, 'home@example.com')
  },
)

test('home leads an organization without a Brain to its first event, and shows open items and activity to others', async () => {
  const { page } = browser
  await page.goto('/')
  await page.getByRole('heading', { name: 'Your first event' }).waitFor()
  await makeReviewedBrains(call)
  await stageNotes(call, 3)
  await page.goto('/')
  await page.getByRole('link', { name: '3 changes wait for review in notes' }).waitFor()
  const changes = page.getByRole('region', { name: 'Changes' })
  await changes.getByText('Note 3', { exact: true }).waitFor()
  await expect.poll(() => page.locator('.stat', { hasText: 'To review' }).textContent()).toContain('3')
  await page.getByText('No runs yet').waitFor()
  expect(await barriers(page)).toEqual([])
})

test('the values of a chart are available as a table, and open items link to their pages', async () => {
  const { page } = browser
  const writes = page.locator('.chart', { hasText: 'Writes by day' })
  await writes.getByText('As a table').click()
  await writes.locator('tbody tr').nth(29).waitFor()
  expect(await writes.locator('tbody tr').count()).toBe(30)
  // All days together, because midnight may pass during the test.
  const days = await writes.locator('tbody td:last-child').allTextContents()
  expect(days.reduce((sum, day) => sum + Number(day), 0)).toBe(2)
  await page.getByRole('link', { name: '3 changes wait for review in notes' }).click()
  await page.locator('.queue-row').nth(2).waitFor()
  expect(await page.locator('.queue-row').count()).toBe(3)
  expect(await barriers(page)).toEqual([])
})

test('new activity appears automatically', async () => {
  const { page } = browser
  await page.goto('/')
  await page.getByRole('link', { name: 'Note 3', exact: true }).waitFor()
  await call('PUT', '/v1/brains/notes/records/late', { kind: 'note' })
  await page.getByRole('link', { name: 'late', exact: true }).waitFor({ timeout: 90_000 })
})

test('no page called another host, broke its policy or threw', () => {
  expect(browser.problems).toEqual([])
})
