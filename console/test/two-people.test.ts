import { afterAll, expect, test } from 'vitest'
import { barriers } from './browser.ts'
import type { Call } from './callers.ts'
import { signUpWithColleague } from './colleague.ts'
import { controlPauses, endPauses, holdPauses } from './pauses.ts'
import { provideBrowser } from './provide-browser.ts'
import { provideService } from './provide-service.ts'
import { stageNotes } from './staged-changes.ts'

// Two people of one organization at once, each in a browser of their own: what one works on does not move by acts of the other.

let call: Call
let colleague: Awaited<ReturnType<typeof signUpWithColleague>>['colleague']
let notes: string[]
let agentId: string

const service = provideService()
const browser = provideBrowser(
  () => service,
  async () => {
    ;({ call, colleague } = await signUpWithColleague(service, browser, 'two'))
    for (const { page } of [browser, colleague.browser]) await controlPauses(page)
    await call('PUT', '/v1/brains/notes', {})
    await call('PUT', '/v1/brains/notes/records/ada', {
      kind: 'person',
      fields: { name: 'Ada', level: 1, team: 'core' },
    })
    await call('PATCH', '/v1/brains/notes', { mode: 'review' })
    notes = await stageNotes(call, 6)
  },
)
afterAll(() => colleague?.browser.close())

const isOpen = (id: string | undefined, { page } = browser) =>
  page.locator(`[data-change="${id}"] ~ .decision-bar`).waitFor()
const find = async (id: string | undefined) => (await call('GET', `/v1/brains/notes/changes/${id}`)).change
const focused = () => browser.page.evaluate('document.activeElement.placeholder')
const note = () => browser.page.getByLabel('Note on the decision')

test('a change that a colleague decides stays open with the note and its focus, and says who decided it and how', async () => {
  const { page } = browser
  await Promise.all([page.goto('/review'), colleague.browser.page.goto('/review')])
  await Promise.all([isOpen(notes[0]), isOpen(notes[0], colleague.browser)])
  await page.keyboard.press('m')
  await page.keyboard.type('please look ag')
  await colleague.browser.page.keyboard.press('a')
  await isOpen(notes[1], colleague.browser)
  await page.getByText(/^Ada approved this (just now|\d+ sec. ago)\.$/).waitFor()
  await page.keyboard.type('ain at the body')
  expect(await note().inputValue()).toBe('please look again at the body')
  expect(await focused()).toBe('Note (m)')
  expect(await page.getByRole('button', { name: 'Approve' }).count()).toBe(0)
  expect(await barriers(page)).toEqual([])
  await page.keyboard.press('Escape')
  for (const key of ['a', 'r', 'x']) await page.keyboard.press(key)
  await isOpen(notes[0])
  await page.keyboard.press('Enter')
  await isOpen(notes[1])
  expect(await Promise.all(notes.map(async (id) => (await find(id)).decision))).toEqual([
    ...['approved', 'pending', 'pending', 'pending', 'pending', 'pending'],
  ])
})

test('a change that a colleague rebases is decided only after it was shown as it is now', async () => {
  const { page } = browser
  const { change } = await call('PATCH', '/v1/brains/notes/records/ada', { fields: { level: 2 } })
  await page.goto(`/brains/notes/changes/${change.id}`)
  await isOpen(change.id)
  await call('PATCH', '/v1/brains/notes', { mode: 'direct' })
  await call('PATCH', '/v1/brains/notes/records/ada', { fields: { team: 'data' } })
  await call('PATCH', '/v1/brains/notes', { mode: 'review' })
  await colleague.call('POST', `/v1/brains/notes/changes/${change.id}/rebase`)
  await page.getByText('This change was rebased onto newer content in the meantime.').waitFor()
  await page.keyboard.press('a')
  await page.getByRole('button', { name: 'Show it as it is now' }).click()
  await page.getByRole('button', { name: 'Approve' }).waitFor()
  expect((await find(change.id)).decision).toBe('pending')
  await page.keyboard.press('a')
  await expect.poll(async () => (await find(change.id)).application).toBe('applied')
})

test('a key decides once for each press, not within a pause after a change of the panel, and not about a hidden panel', async () => {
  const { page } = browser
  await page.goto('/review')
  await isOpen(notes[1])
  await holdPauses(page)
  await page.keyboard.down('a')
  await isOpen(notes[2])
  // Held down: the browser repeats the key.
  await endPauses(page)
  await page.keyboard.down('a')
  await page.keyboard.up('a')
  await holdPauses(page)
  await page.keyboard.press('j')
  await isOpen(notes[3])
  await page.keyboard.press('a')
  await endPauses(page)
  await page.setViewportSize({ width: 640, height: 800 })
  await page.goto('/review')
  await page.locator('.queue-row').first().waitFor()
  await page.locator('.review-detail').waitFor({ state: 'hidden' })
  await page.keyboard.press('a')
  await page.keyboard.press('Enter')
  await page.locator('.review-detail').waitFor()
  await isOpen(notes[2])
  await page.setViewportSize({ width: 1280, height: 900 })
  expect(await Promise.all(notes.map(async (id) => (await find(id)).decision))).toEqual([
    ...['approved', 'approved', 'pending', 'pending', 'pending', 'pending'],
  ])
})

test('the rest of a sentence is no shortcut when its field vanishes', async () => {
  const { page } = browser
  await page.goto('/review')
  await isOpen(notes[2])
  await page.keyboard.press('m')
  await page.keyboard.type('please')
  await holdPauses(page)
  await page.evaluate(`document.activeElement.remove()`)
  await page.keyboard.type('agaj')
  await isOpen(notes[2])
  expect(new URL(page.url()).pathname).toBe('/review')
  await endPauses(page)
  await page.goto('/review')
  await isOpen(notes[2])
  await page.keyboard.press('j')
  await isOpen(notes[3])
  expect((await find(notes[2])).decision).toBe('pending')
})

test('undo in a Brain in review mode undoes: the revert is approved in the same act, with a link to it', async () => {
  const { page } = browser
  await page.goto('/review')
  await isOpen(notes[2])
  await page.keyboard.press('a')
  await isOpen(notes[3])
  await call('GET', '/v1/brains/notes/records/note-3')
  await page.keyboard.press('u')
  await page.getByText('Reverted').waitFor()
  await expect(call('GET', '/v1/brains/notes/records/note-3')).rejects.toThrow('404')
  await page.getByRole('button', { name: 'Open', exact: true }).click()
  await page.waitForURL('**/brains/notes/changes/*')
  await page.getByText('Corrects').waitFor()
})

test('a revert that another person must approve waits for review, and the page says so', async () => {
  const { page } = browser
  await call('PATCH', '/v1/brains/notes', { reviewRules: { requireOtherReviewer: true } })
  await page.goto(`/brains/notes/changes/${notes[1]}`)
  await page.getByRole('button', { name: 'Revert' }).click()
  await page.getByText('The revert waits for review').waitFor()
  await page.getByRole('button', { name: 'Open', exact: true }).click()
  await page.getByText('Another person must decide this').waitFor()
  await call('PATCH', '/v1/brains/notes', { mode: 'direct', reviewRules: { requireOtherReviewer: false } })
})

test('a field that a colleague writes while it is edited is not overwritten: the page shows both values', async () => {
  const { page } = browser
  await page.goto('/brains/notes/records/ada')
  await page.getByRole('button', { name: 'Edit level' }).click()
  await expect.poll(() => page.evaluate('document.activeElement.value')).toBe('2')
  await page.keyboard.press('Control+a')
  await page.keyboard.type('777')
  const other = colleague.browser.page
  await other.goto('/brains/notes/records/ada')
  await other.getByRole('button', { name: 'Edit level' }).click()
  await other.getByLabel('level').fill('555')
  await other.keyboard.press('Enter')
  await page.getByText('version 4').waitFor()
  await page.keyboard.press('Enter')
  await page.getByText('Someone else changed this record in the meantime. Nothing was saved.').waitFor()
  expect(await page.locator('.notice tbody tr').allTextContents()).toEqual(['level2555'])
  expect((await call('GET', '/v1/brains/notes/records/ada')).record.fields.level).toBe(555)
  await page.getByRole('button', { name: 'Keep theirs' }).click()
})

test('a document that a colleague saves meanwhile is not overwritten: the page shows their text and leaves the choice', async () => {
  const { page } = browser
  const other = colleague.browser.page
  const path = '/v1/brains/notes/documents/plan'
  await call('POST', '/v1/brains/notes/documents', {
    id: 'plan',
    title: 'Plan',
    text: 'We begin in May.',
    metadata: { by: 'A' },
  })
  const begin = (one: typeof page) => one.goto('/brains/notes/documents/plan?edit=true')
  await begin(page)
  await page.getByLabel('Text').fill('We begin in June.')
  await begin(other)
  await other.getByLabel('Text').fill('We begin in July.')
  await other.getByRole('button', { name: 'Save as a new version' }).click()
  await other.getByText('version 2', { exact: true }).waitFor()
  await page.getByText('Someone else saved version 2 in the meantime.').waitFor()
  expect(await page.getByLabel('Text').inputValue()).toBe('We begin in June.')
  const save = () => page.getByRole('button', { name: 'Save as a new version' }).click()
  await save()
  await page.getByText('Someone else changed this document in the meantime. Nothing was saved.').waitFor()
  expect(await page.locator('.notice').locator('del, ins').allTextContents()).toEqual(['May', 'July'])
  expect((await call('GET', path)).document).toMatchObject({ text: 'We begin in July.', version: 2 })
  expect(await barriers(page)).toEqual([])
  await page.getByRole('button', { name: 'Save my version' }).click()
  await page.getByText('version 3', { exact: true }).waitFor()
  expect((await call('GET', path)).document.text).toBe('We begin in June.')
  await begin(page)
  await page.getByLabel('Text').fill('We begin in August.')
  await colleague.call('POST', '/v1/brains/notes/documents', { id: 'plan', title: 'Plan', text: 'We are done.' })
  await save()
  await page.getByRole('button', { name: 'Keep theirs' }).click()
  await expect.poll(() => page.getByLabel('Text').inputValue()).toBe('We are done.')
  await page.getByRole('button', { name: 'Cancel' }).click()
})

test('a form sends only what the person changed, and shows what a colleague changed meanwhile', async () => {
  const { page } = browser
  const given = { name: 'Researcher', instructions: '', model: 'noema/extractive', brains: [] }
  agentId = (await call('POST', '/v1/agents', given)).agent.id
  const other = colleague.browser.page
  await Promise.all([page, other].map((one) => one.goto(`/agents/${agentId}`)))
  for (const one of [page, other]) await one.getByRole('button', { name: 'Change', exact: true }).click()
  await other.getByLabel('Name').fill('Researcher A')
  await other.getByRole('button', { name: 'Save as a new version' }).click()
  await other.getByRole('dialog').waitFor({ state: 'detached' })
  await page.getByRole('textbox', { name: 'Instructions' }).fill('Answer briefly.')
  await page.getByRole('button', { name: 'Save as a new version' }).click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  expect((await call('GET', `/v1/agents/${agentId}`)).agent).toMatchObject({
    ...{ name: 'Researcher A', instructions: 'Answer briefly.', version: 3 },
  })
})

test('the description of a Brain keeps what was typed when a colleague saves another one', async () => {
  const { page } = browser
  await page.goto('/brains/notes/settings')
  await page.getByLabel('Purpose').fill('Notes of meetings')
  await colleague.call('PATCH', '/v1/brains/notes', { name: 'Our notes' })
  const panel = page.getByRole('region', { name: 'Description' })
  await panel.getByText('Someone else changed this in the meantime.').waitFor()
  expect(await barriers(page)).toEqual([])
  await panel.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Saved').waitFor()
  const { brain } = await call('GET', '/v1/brains/notes')
  expect(brain).toMatchObject({ name: 'Our notes', purpose: 'Notes of meetings' })
})

test('no page called another host, broke its policy or threw', () => {
  expect([...browser.problems, ...colleague.browser.problems]).toEqual([])
})
