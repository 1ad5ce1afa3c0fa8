import { afterAll, expect, test } from 'vitest'
import { barriers } from './browser.ts'
import type { Call } from './callers.ts'
import { signUpWithColleague } from './colleague.ts'
import { provideBrowser } from './provide-browser.ts'
import { provideService } from './provide-service.ts'

// Rubrics in the console, and the graders of an eval. The tests build on each other.

let call: Call
let colleague: Awaited<ReturnType<typeof signUpWithColleague>>['colleague']
let evalId: string

const service = provideService()
const browser = provideBrowser(
  () => service,
  async () => {
    ;({ call, colleague } = await signUpWithColleague(service, browser, 'rubrics'))
    await call('PUT', '/v1/brains/harbor', {})
    await call('POST', '/v1/agents', { name: 'Judge', instructions: 'Judge.', model: 'noema/extractive' })
    const { eval: tested } = await call('POST', '/v1/evals', {
      ...{ name: 'Tides', target: { brain: 'harbor', read: 'search' } },
      cases: [{ id: 'tide', input: 'high tide', expected: { contains: ['noon'] } }],
      graders: [{ type: 'contains' }],
    })
    evalId = tested.id
  },
)
afterAll(() => colleague?.browser.close())

const dialog = (name: string) => browser.page.getByRole('dialog', { name })
const readRubric = async (name: string) => (await call('GET', `/v1/rubrics/${name}`)).rubric
const readEval = async () => (await call('GET', `/v1/evals/${evalId}`)).eval

test('EVL-33 rubrics are listed with the included ones, made with an error at each field, and shown with their criteria', async () => {
  const { page } = browser
  await page.goto('/evals')
  await page.getByRole('link', { name: 'Rubrics' }).click()
  await page.getByRole('link', { name: 'noema-grounded-answer' }).waitFor()
  expect(await page.getByText('included', { exact: true }).count()).toBe(3)
  expect(await barriers(page)).toEqual([])
  await page.getByRole('button', { name: 'New rubric' }).click()
  const form = dialog('New rubric')
  await form.getByLabel('Name').fill('noema-mine')
  await form.getByLabel('What the answer has to do').fill('It names a time.')
  await form.getByLabel('Id').fill('Not an id')
  await form.getByRole('button', { name: 'Create rubric' }).click()
  await form.getByText('Included rubrics have names that begin with noema-.').waitFor()
  await form.getByLabel('Name').fill('timely')
  await form.getByRole('button', { name: 'Create rubric' }).click()
  await form.getByText('The id of a criterion has 1 to 63 of a-z, 0-9, _ and -.').waitFor()
  expect(await barriers(page)).toEqual([])
  await form.getByLabel('Id').fill('time')
  await form.getByLabel('No answer passes without it').check()
  await form.getByRole('button', { name: 'Create rubric' }).click()
  await page.getByRole('heading', { name: 'timely' }).waitFor()
  await page.getByRole('list', { name: 'Criteria' }).getByText('It names a time.').waitFor()
  expect(await barriers(page)).toEqual([])
  const criteria = [{ id: 'time', text: 'It names a time.', weight: 1, required: true }]
  expect(await readRubric('timely')).toMatchObject({ version: 1, criteria })
})

test('EVL-33 an included rubric is copied, and a name that is taken is refused at its field', async () => {
  const { page } = browser
  await page.goto('/evals?open=rubric_noema-grounded-answer')
  await page.getByRole('heading', { name: 'noema-grounded-answer' }).waitFor()
  expect(await page.getByRole('button', { name: 'Edit' }).count()).toBe(0)
  await page.getByRole('button', { name: 'Copy' }).click()
  const form = dialog('New rubric')
  await form.getByLabel('Name').fill('timely')
  await form.getByRole('button', { name: 'Create rubric' }).click()
  await form.getByText('There is a rubric of this name. Choose another one.').waitFor()
  await form.getByLabel('Name').fill('grounded')
  await form.getByRole('button', { name: 'Create rubric' }).click()
  await page.getByRole('heading', { name: 'grounded', exact: true }).waitFor()
  const { criteria } = await readRubric('noema-grounded-answer')
  expect((await readRubric('grounded')).criteria).toEqual(criteria)
})

test('EVL-34 of two people who edit a rubric at once, the second sees what the first saved before it is replaced', async () => {
  const { page } = browser
  const { page: other } = colleague.browser
  await Promise.all([page.goto('/evals?open=rubric_timely'), other.goto('/evals?open=rubric_timely')])
  for (const one of [page, other]) await one.getByRole('button', { name: 'Edit' }).click()
  await other.getByLabel('What the answer has to do').fill('It names an hour.')
  await other.getByRole('button', { name: 'Save as a new version' }).click()
  await other.getByRole('list', { name: 'Criteria' }).getByText('It names an hour.').waitFor()
  const form = dialog('Edit timely')
  await form.getByLabel('Weight').fill('2')
  await form.getByRole('button', { name: 'Save as a new version' }).click()
  await form.getByText('Someone else changed this rubric in the meantime. Nothing was saved.').waitFor()
  await form.getByRole('rowheader', { name: 'time' }).waitFor()
  expect(await barriers(page)).toEqual([])
  expect(await readRubric('timely')).toMatchObject({ version: 2, criteria: [{ text: 'It names an hour.', weight: 1 }] })
  await form.getByRole('button', { name: 'Save my version' }).click()
  await form.waitFor({ state: 'detached' })
  expect(await readRubric('timely')).toMatchObject({ version: 3, criteria: [{ text: 'It names a time.', weight: 2 }] })
})

test('EVL-34 a person can keep what the other saved, and sees that the other deleted a rubric', async () => {
  const { page } = browser
  const save = async () => {
    await page.getByRole('button', { name: 'Edit' }).click()
    await dialog('Edit timely').getByLabel('Weight').fill('5')
  }
  await save()
  const criteria = [{ id: 'time', text: 'Theirs.' }]
  await colleague.call('PUT', '/v1/rubrics/timely', { criteria })
  await page.getByRole('button', { name: 'Save as a new version' }).click()
  await page.getByRole('button', { name: 'Keep theirs' }).click()
  await page.getByRole('list', { name: 'Criteria' }).getByText('Theirs.').waitFor()
  await save()
  await colleague.call('DELETE', '/v1/rubrics/timely')
  await page.getByRole('button', { name: 'Save as a new version' }).click()
  await dialog('Edit timely').getByText('It was deleted.').waitFor()
  await page.getByRole('button', { name: 'Save my version' }).click()
  await dialog('Edit timely').waitFor({ state: 'detached' })
  expect(await readRubric('timely')).toMatchObject({ version: 1, criteria: [{ text: 'Theirs.', weight: 5 }] })
})

test('EVL-35 the form of an eval sets its graders, among them a rubric, and an error appears at the grader', async () => {
  const { page } = browser
  await page.goto(`/evals?open=${evalId}`)
  await page.getByRole('button', { name: 'Edit', exact: true }).click()
  const form = dialog('Edit Tides')
  await form.getByLabel('Kind of the next one').selectOption('A model judges by a rubric')
  await form.getByRole('button', { name: 'Add' }).click()
  const card = form.getByRole('group', { name: 'A model judges by a rubric' })
  await card.getByLabel('Rubric').selectOption('timely')
  await form.getByRole('button', { name: 'Save as a new version' }).click()
  await card.getByText('Choose an agent that judges.').waitFor()
  expect(await barriers(page)).toEqual([])
  await card.getByLabel('Judge').selectOption('Judge')
  await card.getByLabel('Name in results').fill('contains')
  await form.getByRole('button', { name: 'Save as a new version' }).click()
  await card.getByText('Two graders are called "contains". Name them.').waitFor()
  await card.getByLabel('Name in results').fill('timely')
  await card.getByLabel('At least').fill('0.7')
  await form.getByRole('button', { name: 'Save as a new version' }).click()
  await form.waitFor({ state: 'detached' })
  const [contains, rubric] = (await readEval()).graders
  expect(contains).toEqual({ type: 'contains' })
  expect(rubric).toMatchObject({ type: 'rubric', name: 'timely', rubric: 'timely', threshold: 0.7 })
  await page.getByRole('link', { name: 'timely' }).click()
  await page.getByText('Grades').getByRole('link', { name: 'Tides' }).waitFor()
})

test('EVL-35 of two people who edit an eval at once, each changes only their own fields, and sees those of the other', async () => {
  const { page } = browser
  await page.goto(`/evals?open=${evalId}`)
  await page.getByRole('button', { name: 'Edit', exact: true }).click()
  const form = dialog('Edit Tides')
  await form.getByLabel('Name', { exact: true }).fill('High tides')
  const { graders, version } = await readEval()
  await colleague.call('PATCH', `/v1/evals/${evalId}`, { version, graders: [...graders, { type: 'evidence' }] })
  await form.getByRole('button', { name: 'Save as a new version' }).click()
  await form.getByText('Someone else changed this eval in the meantime. Nothing was saved.').waitFor()
  await form.getByRole('rowheader', { name: 'grader evidence' }).waitFor()
  expect(await barriers(page)).toEqual([])
  await form.getByRole('button', { name: 'Save my version' }).click()
  await page.getByRole('heading', { name: 'High tides' }).waitFor()
  expect(await readEval()).toMatchObject({ name: 'High tides', version: version + 2 })
  expect((await readEval()).graders).toHaveLength(3)
})

test('EVL-36 the cases of an eval are listed with what they expect, and one is removed', async () => {
  const { page } = browser
  const other = { id: 'ebb', input: 'low tide', expected: { notContains: ['noon'], evidence: 'weak' } }
  await call('POST', `/v1/evals/${evalId}/cases`, { cases: [other] })
  await page.goto(`/evals?open=${evalId}`)
  const cases = page.getByRole('list', { name: 'Cases' })
  await cases.getByText('contains “noon”', { exact: true }).waitFor()
  await cases.getByText('does not contain “noon”').waitFor()
  const ebb = cases.getByRole('listitem').filter({ hasText: 'low tide' })
  await ebb.getByRole('button', { name: 'Remove' }).click()
  await page.getByRole('button', { name: 'Remove case' }).click()
  // The page behind an open dialog has no roles.
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await page.getByText('1 case, version').waitFor()
  await ebb.waitFor({ state: 'detached' })
  const { cases: left } = await call('GET', `/v1/evals/${evalId}/cases`)
  expect(left.map(({ id }: { id: string }) => id)).toEqual(['tide'])
  // An eval has at least one case.
  expect(await cases.getByRole('button', { name: 'Remove' }).count()).toBe(0)
  expect(await barriers(page)).toEqual([])
})

test('EVL-33 a rubric is deleted after it was said which evals need it', async () => {
  const { page } = browser
  await page.goto('/evals?open=rubric_timely')
  await page.getByRole('button', { name: 'Delete' }).click()
  await page.getByText('1 eval cannot be run until there is one of this name again.').waitFor()
  await page.getByRole('button', { name: 'Delete rubric' }).click()
  await page.getByRole('heading', { name: 'Rubrics' }).waitFor()
  await page.getByRole('link', { name: 'grounded', exact: true }).waitFor()
  expect(await page.getByRole('link', { name: 'timely' }).count()).toBe(0)
  expect(browser.problems).toEqual([])
})
