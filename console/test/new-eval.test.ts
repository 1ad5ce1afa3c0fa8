import { afterAll, expect, test } from 'vitest'
import { barriers } from './browser.ts'
import type { Call } from './callers.ts'
import { signUpWithColleague } from './colleague.ts'
import { provideBrowser } from './provide-browser.ts'
import { provideService } from './provide-service.ts'

// Evals that a person makes in the console from nothing. The tests build on each other.

let call: Call
let colleague: Awaited<ReturnType<typeof signUpWithColleague>>['colleague']

const service = provideService()
const browser = provideBrowser(
  () => service,
  async () => {
    ;({ call, colleague } = await signUpWithColleague(service, browser, 'new-eval'))
    for (const handle of ['harbor', 'pier']) await call('PUT', `/v1/brains/${handle}`, {})
    await call('PUT', '/v1/corpora/coast', { parts: [{ brain: 'harbor' }] })
    await call('POST', '/v1/agents', { name: 'Librarian', instructions: 'Answer.', model: 'noema/extractive' })
  },
)
afterAll(() => colleague?.browser.close())

const dialog = () => browser.page.getByRole('dialog', { name: 'New eval' })
const create = () => dialog().getByRole('button', { name: 'Create eval' }).click()
const card = (name: string) => dialog().getByRole('group', { name, exact: true })

/** The eval that the page shows, and its cases. */
const readOpened = async () => {
  const id = new URL(browser.page.url()).searchParams.get('open')
  const [{ eval: made }, { cases }] = [await call('GET', `/v1/evals/${id}`), await call('GET', `/v1/evals/${id}/cases`)]
  return { ...made, cases }
}

test('EVL-37 an eval of an agent is made from the empty list, and each error appears at its field', async () => {
  const { page } = browser
  await page.goto('/evals')
  await page.getByText('No evals yet').waitFor()
  await page.getByRole('button', { name: 'New eval' }).last().click()
  await dialog().getByRole('radio', { name: 'An agent' }).waitFor()
  await create()
  await dialog().getByLabel('Name', { exact: true }).and(page.locator('[aria-invalid=true]')).waitFor()
  await dialog().getByLabel('Name', { exact: true }).fill('Tides')
  await card('Case 1').getByLabel('Question').fill('When is high tide?')
  await create()
  await card('Case 1').getByText('Say what is expected. Without it, no grader grades this case.').waitFor()
  await card('Case 1').getByLabel('Expected: the answer contains').fill('noon\n\n tide ')
  await dialog().getByRole('button', { name: 'Add a case' }).click()
  await card('Case 2').getByLabel('Question').fill('When is low tide?')
  await card('Case 2').getByLabel('Expected: the answer contains').fill('six')
  await card('Case 2').getByLabel('Id').fill('case-1')
  await create()
  await card('Case 2').getByText('Another case has this id.').waitFor()
  await card('Case 2').getByLabel('Id').fill('low tide')
  await create()
  await card('Case 2').getByText('The id of a case has 1 to 64 of').waitFor()
  expect(await barriers(page)).toEqual([])
  await card('Case 2').getByLabel('Id').fill('low')
  await create()
  await page.getByRole('heading', { name: 'Tides' }).waitFor()
  expect(await readOpened()).toMatchObject({
    name: 'Tides',
    graders: [{ type: 'contains' }],
    cases: [
      { id: 'case-1', input: 'When is high tide?', expected: { contains: ['noon', 'tide'] } },
      { id: 'low', input: 'When is low tide?', expected: { contains: ['six'] } },
    ],
  })
  expect((await readOpened()).target.agentId).toMatch(/^agt_/)
})

test('EVL-37 an eval of reads asks in each case for what its graders take from cases, and for nothing else', async () => {
  const { page } = browser
  await page.goto('/evals?open=new')
  await dialog().getByLabel('Name', { exact: true }).fill('Tides')
  await dialog().getByText('There is an eval of this name. With two, commands need the id.').waitFor()
  await dialog().getByLabel('Name', { exact: true }).fill('Reads')
  await dialog().getByRole('radio', { name: 'A corpus' }).check()
  await card('Case 1').getByLabel('Expected: these items were read').fill('the tide')
  await dialog().getByLabel('Kind of the next one').selectOption('Evidence of the read')
  await dialog().getByRole('button', { name: 'Add', exact: true }).click()
  await card('Case 1').getByLabel('Expected: evidence').selectOption('strong')
  await card('Evidence of the read').getByLabel('Evidence').selectOption('none')
  expect(await card('Case 1').getByLabel('Expected: evidence').count()).toBe(0)
  await card('Evidence of the read').getByLabel('Evidence').selectOption('as the case says')
  expect(await card('Case 1').getByLabel('Expected: evidence').inputValue()).toBe('strong')
  await card('Case 1').getByLabel('Question').fill('high tide')
  await dialog().getByRole('radio', { name: 'context' }).check()
  await create()
  await card('Case 1').getByText('Write a type and an id on each line').waitFor()
  await card('Case 1').getByLabel('Expected: these items were read').fill('document tide')
  await create()
  await page.getByRole('heading', { name: 'Reads' }).waitFor()
  expect(await readOpened()).toMatchObject({
    target: { corpus: 'coast', read: 'context' },
    graders: [{ type: 'found' }, { type: 'evidence' }],
    cases: [{ expected: { found: [{ type: 'document', id: 'tide' }], evidence: 'strong' } }],
  })
})

test('EVL-37 if another person deletes what a new eval names, the error appears at it and nothing typed is lost', async () => {
  const { page } = browser
  await page.goto('/evals?open=new')
  await dialog().getByRole('radio', { name: 'A Brain' }).check()
  await dialog().getByLabel('Brain', { exact: true }).selectOption('pier')
  await dialog().getByLabel('Name', { exact: true }).fill('Pier')
  await card('Case 1').getByLabel('Question').fill('Who keeps the pier?')
  await card('Case 1').getByLabel('Expected: these items were read').fill('record ada')
  await colleague.call('DELETE', '/v1/brains/pier')
  await create()
  await dialog()
    .getByText(/no Brain/)
    .waitFor()
  expect(await barriers(page)).toEqual([])
  expect(await dialog().getByLabel('Name', { exact: true }).inputValue()).toBe('Pier')
  expect(await card('Case 1').getByLabel('Question').inputValue()).toBe('Who keeps the pier?')
  await page.keyboard.press('Escape')
  await dialog().getByText('Your changes will be lost.').waitFor()
  await dialog().getByRole('button', { name: 'Keep editing' }).click()
  await dialog().getByLabel('Brain', { exact: true }).selectOption('harbor')
  await create()
  await page.getByRole('heading', { name: 'Pier' }).waitFor()
  expect((await readOpened()).target).toMatchObject({ brain: 'harbor', read: 'search' })
  expect(browser.problems).toEqual([])
})

test('EVL-40 cases are added next to those of a colleague, and an id of theirs is never replaced', async () => {
  const { page } = browser
  const { id } = await readOpened()
  const added = page.getByRole('dialog', { name: 'Add cases to Pier' })
  const addedCard = (name: string) => added.getByRole('group', { name, exact: true })
  await page.getByRole('button', { name: 'Add cases' }).click()
  await addedCard('Case 1').getByLabel('Question').fill('Who paints the pier?')
  await addedCard('Case 1').getByLabel('Expected: these items were read').fill('record bo')
  expect(await addedCard('Case 1').getByLabel('Id').inputValue()).toBe('case-2')
  expect(await barriers(page)).toEqual([])
  const theirs = { id: 'case-2', input: 'Who repairs the pier?', expected: { found: [{ type: 'record', id: 'cy' }] } }
  await colleague.call('POST', `/v1/evals/${id}/cases`, { cases: [theirs] })
  await added.getByRole('button', { name: 'Save as a new version' }).click()
  await addedCard('Case 1').getByText('The eval has a case with this id.').waitFor()
  await addedCard('Case 1').getByLabel('Id').fill('paint')
  await colleague.call('POST', `/v1/evals/${id}/cases`, { cases: [{ ...theirs, id: 'repair' }] })
  await added.getByRole('button', { name: 'Save as a new version' }).click()
  await added.waitFor({ state: 'detached' })
  await page.getByRole('list', { name: 'Cases' }).getByText('Who paints the pier?').waitFor()
  const { version, cases } = await readOpened()
  expect(version).toBe(4)
  expect(cases.map((one: { id: string; input: string }) => [one.id, one.input])).toEqual([
    ['case-1', 'Who keeps the pier?'],
    ['case-2', 'Who repairs the pier?'],
    ['paint', 'Who paints the pier?'],
    ['repair', 'Who repairs the pier?'],
  ])
  expect(browser.problems).toEqual([])
})

test('EVL-40 a case is edited on top of other changes, and a colleague’s change of the same case is shown first', async () => {
  const { page } = browser
  const { id } = await readOpened()
  const change = (one: object) => colleague.call('POST', `/v1/evals/${id}/cases`, { cases: [one] })
  const several = 'first line\nsecond line'
  await change({
    id: 'paint',
    input: 'Who paints?',
    expected: { contains: [several], answer: 'Bo' },
    metadata: { by: 'eve' },
  })
  await page.reload()
  const edited = page.getByRole('dialog', { name: 'Edit the case paint' })
  const row = page.getByRole('list', { name: 'Cases' }).getByRole('listitem').filter({ hasText: 'Who paints?' })
  const save = edited.getByRole('button', { name: 'Save as a new version' })
  await row.getByRole('button', { name: 'Edit' }).click()
  await edited.getByLabel('Question').fill('Who paints the pier?')
  await edited.getByLabel('Expected: these items were read').fill('record bo @harbor')
  expect(await barriers(page)).toEqual([])
  await change({ id: 'repair', input: 'Who mends the pier?' })
  await save.click()
  await edited.waitFor({ state: 'detached' })
  const find = async (name: string) => (await readOpened()).cases.find((one: { id: string }) => one.id === name)
  // The rest of the case is kept.
  expect(await find('paint')).toEqual({
    ...{ id: 'paint', input: 'Who paints the pier?', metadata: { by: 'eve' } },
    expected: { contains: [several], answer: 'Bo', found: [{ type: 'record', id: 'bo', brain: 'harbor' }] },
  })
  expect(await find('repair')).toMatchObject({ input: 'Who mends the pier?' })
  const renamed = page.getByRole('list', { name: 'Cases' }).getByRole('listitem').filter({ hasText: 'Who paints the' })
  await renamed.getByRole('button', { name: 'Edit' }).click()
  await edited.getByLabel('Question').fill('Mine?')
  await change({ id: 'paint', input: 'Theirs?', expected: { contains: [several] } })
  await save.click()
  await edited.getByText('Someone else changed this case in the meantime. Nothing was saved.').waitFor()
  await edited.getByText('Theirs?').waitFor()
  expect(await find('paint')).toMatchObject({ input: 'Theirs?' })
  await edited.getByRole('button', { name: 'Save my version' }).click()
  await edited.waitFor({ state: 'detached' })
  expect(await find('paint')).toMatchObject({ input: 'Mine?' })
  expect(browser.problems).toEqual([])
})
