import { afterAll, expect, test } from 'vitest'
import { barriers } from './browser.ts'
import type { Call } from './callers.ts'
import { signUpWithColleague } from './colleague.ts'
import { provideBrowser } from './provide-browser.ts'
import { provideService } from './provide-service.ts'

// Goals that a person makes in the console, and changes while they go on. The tests build on each other.

let call: Call
let colleague: Awaited<ReturnType<typeof signUpWithColleague>>['colleague']
let goalId: string

const service = provideService()
const browser = provideBrowser(
  () => service,
  async () => {
    ;({ call, colleague } = await signUpWithColleague(service, browser, 'goals'))
    await call('PUT', '/v1/brains/harbor', {})
    await call('POST', '/v1/brains/harbor/documents', { id: 'tide', text: 'The harbor has a high tide at noon.' })
    const brains = [{ handle: 'harbor' }]
    await call('POST', '/v1/agents', { name: 'Librarian', instructions: 'Answer.', model: 'noema/extractive', brains })
  },
)
afterAll(() => colleague?.browser.close())

const dialog = (name: string) => browser.page.getByRole('dialog', { name })
const readGoal = async () => (await call('GET', `/v1/goals/${goalId}`)).goal

test('GOL-15 a goal is made with its criteria and budget, and each error appears at its field', async () => {
  const { page } = browser
  await page.goto('/evals?open=goals')
  await page.getByText('No goals yet').waitFor()
  await page.getByRole('button', { name: 'New goal' }).click()
  const form = dialog('New goal')
  const contains = form.getByRole('group', { name: 'The answer contains' })
  await contains.getByRole('button', { name: 'Remove' }).click()
  await form.getByLabel('Objective').fill('Say when the tide is low.')
  await form.getByRole('button', { name: 'Start goal' }).click()
  await form.getByText('Add a criterion: it decides when the goal is met.').waitFor()
  await form.getByRole('button', { name: 'Add', exact: true }).click()
  await form.getByLabel('Kind of the next one').selectOption('Items were read')
  await form.getByRole('button', { name: 'Add', exact: true }).click()
  const read = form.getByRole('group', { name: 'Items were read' })
  await read.getByLabel('Items').fill('the tide')
  await contains.getByLabel('Texts').fill('midnight\n\n low tide ')
  await form.getByRole('button', { name: 'Start goal' }).click()
  await read.getByText('Write a type and an id on each line, such as "document refunds", not "the tide".').waitFor()
  await read.getByLabel('Items').fill('document tide\nrecord ada lovelace @harbor')
  await form.getByLabel('Kind of the next one').selectOption('The answer matches a pattern')
  await form.getByRole('button', { name: 'Add', exact: true }).click()
  const pattern = form.getByRole('group', { name: 'The answer matches a pattern' })
  await pattern.getByLabel('Pattern').fill('(')
  await form.getByLabel('Attempts').fill('2')
  await form.getByLabel('US dollars').fill('0.25')
  await form.getByRole('button', { name: 'Start goal' }).click()
  await pattern.locator('.field-error').waitFor()
  expect(await barriers(page)).toEqual([])
  await pattern.getByLabel('Pattern').fill('\\d')
  await form.getByLabel('Until').fill('2020-01-01T10:00')
  await form.getByRole('button', { name: 'Start goal' }).click()
  await form.getByText('Enter a time to come.').waitFor()
  await form.getByLabel('Until').fill('')
  await form.getByRole('button', { name: 'Start goal' }).click()
  await page.getByRole('heading', { name: 'Say when the tide is low.' }).waitFor()
  goalId = new URL(page.url()).searchParams.get('open') ?? ''
  expect(await readGoal()).toMatchObject({
    objective: 'Say when the tide is low.',
    criteria: [
      { type: 'contains', values: ['midnight', 'low tide'] },
      {
        type: 'found',
        items: [
          { type: 'document', id: 'tide' },
          { type: 'record', id: 'ada lovelace', brain: 'harbor' },
        ],
      },
      { type: 'regex', pattern: '\\d' },
    ],
    budget: { runs: 2, costCents: 25 },
  })
  await page.getByText('midnight').first().waitFor()
  expect(await barriers(page)).toEqual([])
})

test('GOL-16 a goal whose budget is used up goes on with a larger one, and two people change their own parts of it', async () => {
  const { page } = browser
  await page.getByText('exhausted', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Budget' }).click()
  const form = dialog('Change the budget')
  await form.getByLabel('Attempts').fill('3')
  await colleague.call('PATCH', `/v1/goals/${goalId}`, { budget: { costCents: 80 } })
  await form.getByRole('button', { name: 'Save' }).click()
  await form.waitFor({ state: 'detached' })
  expect((await readGoal()).budget).toMatchObject({ runs: 3, costCents: 80 })
  // Three attempts without progress block it.
  await page.getByText('of $0.80').waitFor()
  await expect.poll(async () => (await readGoal()).attempts).toBe(3)
})

test('GOL-16 a goal is paused, resumed with advice, and abandoned', async () => {
  const { page } = browser
  const agents = (await call('GET', '/v1/agents')).agents
  const { goal } = await call('POST', '/v1/goals', {
    agentId: agents[0].id,
    objective: 'Say who keeps the harbor.',
    criteria: [{ type: 'contains', values: ['nobody'] }],
    budget: { runs: 50 },
  })
  goalId = goal.id
  await expect.poll(async () => (await readGoal()).state).toBe('blocked')
  await page.goto(`/evals?open=${goalId}`)
  await page.getByRole('button', { name: 'Resume' }).click()
  const form = dialog('Resume this goal')
  await form.getByLabel('Advice').fill('Look into the log of the harbor.')
  expect(await barriers(page)).toEqual([])
  await form.getByRole('button', { name: 'Resume goal' }).click()
  await form.waitFor({ state: 'detached' })
  await expect.poll(async () => (await readGoal()).attempts).toBeGreaterThan(3)
  const { attempts } = await call('GET', `/v1/goals/${goalId}/attempts`)
  const { run } = await call('GET', `/v1/runs/${attempts[3].runId}`)
  expect(run.input).toContain('A person says:\nLook into the log of the harbor.')
  await page.getByRole('button', { name: 'Abandon' }).click()
  await page.getByRole('button', { name: 'Abandon goal' }).click()
  await page.getByText('abandoned', { exact: true }).waitFor()
  expect(browser.problems).toEqual([])
})
