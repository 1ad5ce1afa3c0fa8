import { expect, test } from 'vitest'
import { barriers } from './browser.ts'
import { type Call, createBrainCaller } from './callers.ts'
import { writeKnowledge } from './knowledge.ts'
import { signUp } from './member.ts'
import { provideBrowser } from './provide-browser.ts'
import { provideService } from './provide-service.ts'

// The statements of a Brain: their list, a new one, a retraction, and the page of one. The tests build on each other.

let call: Call

const service = provideService()
const browser = provideBrowser(
  () => service,
  async () => {
    const headers = await signUp(service, browser, 'statements@example.com')
    await service.request('PUT', '/v1/brains/atlas', { headers, body: {} })
    call = createBrainCaller(service, headers, 'atlas')
    await writeKnowledge(call)
  },
)

const table = () => browser.page.getByRole('table', { name: 'Statements' })
const rows = () => table().locator('tr[data-row]')
const query = () => Object.fromEntries(new URL(browser.page.url()).searchParams)

test('the number of statements leads to their list, which names their records, in one call for all of them', async () => {
  const { page } = browser
  const asked: string[] = []
  page.on('request', (request) => {
    if (request.url().endsWith('/names')) asked.push(request.url())
  })
  await page.goto('/brains/atlas')
  await page.locator('.stat').filter({ hasText: 'Statements' }).getByRole('link', { name: '18' }).click()
  await table().getByRole('link', { name: 'Project 12' }).first().waitFor()
  await table().getByRole('link', { name: 'Ada Okafor' }).waitFor()
  expect(await rows().count()).toBe(18)
  // One for the dates of the overview, one for this list.
  expect(asked.length).toBeLessThanOrEqual(3)
  expect(await barriers(page)).toEqual([])
})

test('statements are filtered by subject and predicate, and the URL keeps the filter', async () => {
  const { page } = browser
  await page.getByPlaceholder('Any predicate').fill('speaks')
  await page.keyboard.press('Enter')
  await expect.poll(() => rows().count()).toBe(6)
  await page.getByRole('combobox', { name: 'Subject' }).fill('person-0')
  await page
    .getByRole('option', { name: /^Ada Okafor/ })
    .first()
    .click()
  await expect.poll(() => rows().count()).toBe(1)
  expect(query()).toEqual({ predicate: 'speaks', subject: 'person-0' })
  await page.reload()
  await expect.poll(() => rows().count()).toBe(1)
  await expect.poll(() => page.getByRole('combobox', { name: 'Subject' }).inputValue()).toBe('Ada Okafor')
  expect(await barriers(page)).toEqual([])
})

test('a statement is asserted about a record that is chosen by name, with its time and its source', async () => {
  const { page } = browser
  await page.getByRole('button', { name: 'New statement' }).click()
  const form = page.getByRole('dialog', { name: 'New statement' })
  await expect.poll(() => form.getByRole('combobox', { name: 'Subject' }).inputValue()).toBe('Ada Okafor')
  await form.getByLabel('Predicate').fill('mentors')
  await form.getByRole('button', { name: 'Assert' }).click()
  await form.getByText('Choose the record.').waitFor()
  await form.getByRole('combobox', { name: 'Record' }).fill('Lindqvist')
  await page
    .getByRole('option', { name: /Lindqvist/ })
    .first()
    .click()
  await form.getByLabel('Valid from').fill('2026-01-31')
  await form.getByLabel('Confidence').fill('80')
  await form.getByRole('combobox', { name: 'Source' }).fill('Weekly notes 1')
  await page
    .getByRole('option', { name: /^Weekly notes 1/ })
    .first()
    .click()
  await form.getByLabel('Quote').fill('Notes of week')
  expect(await barriers(page)).toEqual([])
  await form.getByRole('button', { name: 'Assert' }).click()
  const sentence = page.getByRole('heading', { level: 2 })
  await expect.poll(() => sentence.textContent()).toMatch(/^Ada Okafor mentors .* Lindqvist$/)
  const { statements } = await call('GET', '/statements?predicate=mentors')
  expect(statements).toMatchObject([
    { subject: { id: 'person-0', kind: 'person' }, validFrom: '2026-01-31T00:00:00.000Z', confidence: 0.8 },
  ])
})

test('the page of a statement is a sentence with its time, author, quote and history', async () => {
  const { page } = browser
  const { statements } = await call('GET', '/statements?predicate=mentors')
  const { id, version, subject, predicate, object, validFrom } = statements[0]
  expect(version).toBe(1)
  await call('POST', '/batch', {
    reason: 'She left in June',
    operations: [
      {
        op: 'statement.assert',
        subject,
        predicate,
        object,
        validFrom,
        validTo: '2026-06-30T00:00:00.000Z',
        confidence: 0.9,
      },
    ],
  })
  await page.goto(`/brains/atlas/statements/${id}`)
  await page.getByText('valid Jan 31, 2026 to Jun 30, 2026').waitFor()
  await page.getByText('90 % sure').waitFor()
  await page.getByRole('region', { name: 'Sources' }).locator('mark', { hasText: 'Notes of week' }).waitFor()
  const history = page.getByRole('region', { name: 'History' })
  await history.getByText('“She left in June”').waitFor()
  await history.getByText('Asserted', { exact: true }).waitFor()
  expect(await history.locator('tbody tr').allTextContents()).toEqual([
    ...['validsince Jan 31, 2026Jan 31, 2026 to Jun 30, 2026', 'confidence80 %90 %'],
  ])
  expect(await page.locator('details').first().getAttribute('open')).toBe(null)
  expect(await barriers(page)).toEqual([])
})

test('a statement is retracted with a reason, which its page and the list of retracted ones show', async () => {
  const { page } = browser
  await page.getByRole('button', { name: 'Retract' }).click()
  const dialog = page.getByRole('dialog', { name: 'Retract this statement?' })
  await dialog.getByText(/Ada Okafor mentors/).waitFor()
  await dialog.getByLabel('Reason').fill('It was another Ada')
  expect(await barriers(page)).toEqual([])
  await dialog.getByRole('button', { name: 'Retract statement' }).click()
  await page.getByRole('region', { name: 'History' }).getByText('“It was another Ada”').waitFor()
  await page.getByRole('link', { name: 'mentors' }).click()
  await page.getByText('No matching statements').waitFor()
  await page.getByRole('switch', { name: 'Retracted' }).check()
  await expect.poll(() => rows().count()).toBe(1)
  expect(query()).toEqual({ predicate: 'mentors', retracted: 'true' })
})

test('in review mode a statement and a retraction wait for review, and the pages link to the change', async () => {
  const { page } = browser
  await call('PATCH', '', { mode: 'review' })
  await page.goto('/brains/atlas/statements?predicate=speaks&subject=person-1')
  await expect.poll(() => rows().count()).toBe(1)
  await rows().first().getByRole('button', { name: 'Retract' }).click()
  await page.getByRole('button', { name: 'Retract statement' }).click()
  await page.getByText('The retraction waits for review.').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'New statement' }).click()
  const form = page.getByRole('dialog', { name: 'New statement' })
  await form.getByText('A value').click()
  await form.getByLabel('Value', { exact: true }).fill('Welsh')
  await form.getByRole('button', { name: 'Assert' }).click()
  await page.getByText('The statement waits for review.').waitFor()
  await page.getByRole('link', { name: 'Open the change' }).click()
  await page
    .getByRole('heading', { name: /Bo Lindqvist speaks Welsh/ })
    .first()
    .waitFor()
  expect((await call('GET', '/statements?predicate=speaks')).statements.length).toBe(6)
})

test('no page called another host, broke its policy or threw', () => {
  expect(browser.problems).toEqual([])
})
