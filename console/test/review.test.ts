import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { githubToken } from '../../server/src/features/writing/credentials/credential.fixture.ts'
import { barriers } from './browser.ts'
import type { Call } from './callers.ts'
import { controlPauses } from './pauses.ts'
import { provideBrowser } from './provide-browser.ts'
import { provideService } from './provide-service.ts'
import { signUpOnPage } from './signed-in.ts'
import { makeReviewedBrains, stageBatch, stageNotes } from './staged-changes.ts'

// The review of changes, by keyboard alone. The tests build on each other.

let call: Call
let batch: string
let notes: string[]

const service = provideService()
const browser = provideBrowser(
  () => service,
  async () => {
    call = await signUpOnPage(browser, service, 'review@example.com')
    await controlPauses(browser.page)
    await makeReviewedBrains(call)
    batch = await stageBatch(call)
    notes = await stageNotes(call, 19)
  },
)

/** Waits until a change is open and can be decided. */
const isOpen = (id: string | undefined) => browser.page.locator(`[data-change="${id}"] ~ .decision-bar`).waitFor()
const reach = () => browser.page.locator('.reach').textContent()
const press = (key: string) => browser.page.keyboard.press(key)

const findChange = (brain: string, id: string) => call('GET', `/v1/brains/${brain}/changes/${id}`)
const listAll = async () => (await call('GET', '/v1/changes?limit=500')).changes

test('the queue shows the oldest change first, with its evidence and warnings', async () => {
  const { page } = browser
  await page.goto('/review')
  await isOpen(batch)
  expect(await page.locator('.queue-row').count()).toBe(20)
  const open = page.locator('.review-detail')
  await open.locator('blockquote mark', { hasText: 'Grace leads the migration from the first of March.' }).waitFor()
  const flags = await open.locator('.badge[data-tone=warning]').allTextContents()
  expect(flags).toEqual(expect.arrayContaining(['hidden characters', 'unverified source']))
  expect(await open.locator('.before', { hasText: 'engineer' }).count()).toBe(1)
  expect(await open.locator('.after', { hasText: 'lead of the migration' }).count()).toBe(1)
  expect(await barriers(page)).toEqual([])
})

test('unselected items become a change of their own, as the page says before the decision', async () => {
  const { page } = browser
  expect(await reach()).toBe('Decides all 3 items.')
  await press('n')
  await press('x')
  expect(await reach()).toBe('Decides 2 of 3 items. The other one becomes a new change that waits for review.')
  await press('p')
  await press('e')
  await page.getByLabel('role').fill('lead')
  await press('Control+Enter')
  await page.getByText('edited', { exact: true }).waitFor()
  await press('m')
  await page.keyboard.type('The minutes say so.')
  await press('Escape')
  await press('a')
  await page.getByText('Approved and published').waitFor()
  await isOpen(notes[0])
  const { record } = await call('GET', '/v1/brains/people/records/grace')
  expect(record.fields).toMatchObject({ role: 'lead', since: '2026-03-01' })
  expect((await findChange('people', batch)).change.decision).toBe('superseded')
  const [rest] = (await call('GET', '/v1/brains/people/changes?decision=pending')).changes
  expect(rest).toMatchObject({ supersedes: batch, itemCount: 1 })
  const [decided] = (await call('GET', '/v1/brains/people/changes?application=applied&order=desc')).changes
  expect(decided).toMatchObject({ decisionReason: 'The minutes say so.', itemCount: 2 })
})

test('a decision that is not published yet is undone by a key', async () => {
  const { page } = browser
  await press('l')
  await page.getByRole('dialog', { name: 'Approve, publish later' }).waitFor()
  expect(await barriers(page)).toEqual([])
  await page.getByLabel('Manually').focus()
  await press('Space')
  await press('Enter')
  await isOpen(notes[1])
  expect((await findChange('notes', notes[0] ?? '')).change).toMatchObject({
    ...{ decision: 'approved', application: 'not_applied' },
  })
  await press('u')
  await expect.poll(async () => (await findChange('notes', notes[0] ?? '')).change.decision).toBe('pending')
})

test('twenty changes are decided one after the other, each by one key', async () => {
  const { page } = browser
  await page.goto('/review')
  const left = async (): Promise<number> =>
    (await listAll()).filter((one: { decision: string }) => one.decision === 'pending').length
  expect(await left()).toBe(20)
  for (let decided = 0; decided < 20; decided++) {
    const head = page.locator('.review-detail [data-change]')
    await page.locator('[data-change] ~ .decision-bar').waitFor()
    const id = await head.getAttribute('data-change')
    await press(decided % 5 === 4 ? 'r' : 'a')
    await page.locator(`[data-change="${id}"]`).waitFor({ state: 'detached' })
  }
  await page.getByText('Nothing to review').waitFor()
  expect(await left()).toBe(0)
  const decisions = (await listAll()).filter((one: { id: string }) => notes.includes(one.id))
  expect(decisions.filter((one: { decision: string }) => one.decision === 'rejected')).toHaveLength(3)
  expect(decisions.filter((one: { application: string }) => one.application === 'applied')).toHaveLength(16)
  expect(await barriers(page)).toEqual([])
})

/** Delays the timers of no time, as a busy browser does: what awaits a promise comes long before them. */
const delayTimers = (page: Page): Promise<void> =>
  page.evaluate(() => {
    const start = globalThis.setTimeout
    Object.assign(globalThis, { setTimeout: (run: () => void, delay = 0) => start(run, delay || 250) })
  })

test('a change with an outdated base shows the current version and its differences, and is rebased', async () => {
  const { page } = browser
  const { change } = await call('PATCH', '/v1/brains/people/records/grace', { fields: { role: 'owner' } })
  await call('PATCH', '/v1/brains/people', { mode: 'direct' })
  await call('PATCH', '/v1/brains/people/records/grace', { fields: { role: 'boss' } })
  await page.goto(`/brains/people/changes/${change.id}`)
  await page.getByText('The record changed since: version 2 → 3').waitFor()
  await page.getByText('One item is in conflict with later writes').waitFor()
  expect(await barriers(page)).toEqual([])
  await delayTimers(page)
  await press('b')
  await page.getByText('Rebased: it waits again').waitFor()
  await page.locator('.before', { hasText: 'boss' }).waitFor()
  await press('a')
  await page.locator('.change-title [data-status=applied]').waitFor()
  await press('v')
  await page.getByText('Reverted').waitFor()
  const { record } = await call('GET', '/v1/brains/people/records/grace')
  expect(record.fields.role).toBe('boss')
})

test('a change that a hold blocks says so, and is published once the hold is released', async () => {
  const { page } = browser
  const { change } = await call('POST', '/v1/brains/notes/records', { kind: 'note', fields: { title: 'Held' } })
  await call('PUT', '/v1/brains/notes/hold', { reason: 'Audit' })
  await page.goto(`/brains/notes/changes?change=${change.id}`)
  await isOpen(change.id)
  await press('a')
  await page.getByText('Approved, but blocked').waitFor()
  await page.goto('/review?show=blocked')
  await page.getByText('The Brain is on hold.').waitFor()
  expect(await barriers(page)).toEqual([])
  await call('DELETE', '/v1/brains/notes/hold')
  await expect.poll(async () => (await findChange('notes', change.id)).change.application).toBe('applied')
})

test('KNO-09 a reviewer sees when a proposed record or document expires', async () => {
  const { page } = browser
  const expiresAt = '2099-01-02T03:04:05.000Z'
  await call('PATCH', '/v1/brains/notes', { mode: 'review' })
  const operations = [
    { op: 'record.create', kind: 'note', fields: { title: 'Brief' }, expiresAt },
    { op: 'document.put', id: 'brief', text: 'Brief.', expiresAt },
  ]
  const { change } = await call('POST', '/v1/brains/notes/batch', { operations })
  await page.goto(`/brains/notes/changes/${change.id}`)
  await isOpen(change.id)
  await page
    .getByRole('row', { name: `expires at ${expiresAt}` })
    .nth(1)
    .waitFor()
})

test('CHK-01 CHK-02 a change says which field has a credential, and which statement says something else', async () => {
  const { page } = browser
  const subject = { id: 'clock', kind: 'note' }
  await call('PATCH', '/v1/brains/notes', { mode: 'direct' })
  const says = (place: string) => ({
    op: 'statement.assert',
    subject,
    predicate: 'located in',
    object: { value: place },
  })
  const clock = { op: 'record.put', id: 'clock', kind: 'note', fields: { title: 'Clock' } }
  const written = await call('POST', '/v1/brains/notes/batch', { operations: [clock, says('the hall')] })
  await call('PATCH', '/v1/brains/notes', { mode: 'review' })
  const operations = [{ ...clock, fields: { title: 'Clock', token: githubToken } }, says('the cellar')]
  const { change } = await call('POST', '/v1/brains/notes/batch', { operations })
  await page.goto(`/brains/notes/changes/${change.id}`)
  await isOpen(change.id)
  await page.getByText('token has what looks like a credential').first().waitFor()
  await page.locator(`a[href*="${written.results[1].id}"]`).first().waitFor()
  expect(await barriers(page)).toEqual([])
})

test('the author of a change cannot decide it if the Brain requires another person, and sees why', async () => {
  const { page } = browser
  await call('PATCH', '/v1/brains/notes', { reviewRules: { requireOtherReviewer: true } })
  const { change } = await call('POST', '/v1/brains/notes/records', { kind: 'note', fields: { title: 'Mine' } })
  await page.goto(`/review?brain=notes&change=${change.id}`)
  await page.getByText('Another person must decide this').waitFor()
  expect(await page.getByRole('button', { name: 'Approve' }).count()).toBe(0)
  await press('a')
  expect((await findChange('notes', change.id)).change.decision).toBe('pending')
})

test('no page called another host, broke its policy or threw', () => {
  expect(browser.problems).toEqual([])
})
