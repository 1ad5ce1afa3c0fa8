import { afterAll, expect, test } from 'vitest'
import { barriers } from './browser.ts'
import type { Call } from './callers.ts'
import { signUpWithColleague } from './colleague.ts'
import { provideBrowser } from './provide-browser.ts'
import { provideService } from './provide-service.ts'

// Distillations that a person starts in the console: from their list, from an agent, and from a run.

let call: Call
let colleague: Awaited<ReturnType<typeof signUpWithColleague>>['colleague']
let agentId: string
let runId: string

const service = provideService()
const browser = provideBrowser(
  () => service,
  async () => {
    ;({ call, colleague } = await signUpWithColleague(service, browser, 'learn'))
    for (const handle of ['harbor', 'lessons']) await call('PUT', `/v1/brains/${handle}`, {})
    await call('PATCH', '/v1/brains/harbor/access', { openTo: 'members' })
    await call('POST', '/v1/agents', { name: 'Writer', instructions: 'Word lessons.', model: 'noema/extractive' })
    const brains = [{ handle: 'harbor' }]
    const given = { name: 'Librarian', instructions: 'Answer.', model: 'noema/extractive', brains }
    agentId = (await call('POST', '/v1/agents', given)).agent.id
    runId = (await call('POST', '/v1/runs', { agentId, input: 'Who keeps the zebra xylophone?' })).run.runId
  },
)
afterAll(() => colleague?.browser.close())

const dialog = () => browser.page.getByRole('dialog', { name: 'Learn from runs' })
const listDistillations = async () => (await call('GET', '/v1/distillations?order=desc')).distillations
const start = () => dialog().getByRole('button', { name: 'Start' }).click()

test('DST-17 a distillation is started once, of chosen runs, and each error appears at its field', async () => {
  const { page } = browser
  const readEnd = async () => (await call('GET', `/v1/runs/${runId}`)).run.completedAt
  await expect.poll(readEnd).not.toBeNull()
  await page.goto('/evals?open=distillations')
  await page.getByText('No distillations yet').waitFor()
  await page.getByRole('button', { name: 'Learn from runs' }).click()
  await dialog().getByLabel('Runs of').selectOption('Librarian')
  await dialog().getByLabel('Started since').fill('2020-01-01T10:00')
  await dialog().getByLabel('completed').check()
  await dialog().getByLabel('Only these runs').fill('run_nothing')
  await dialog().getByLabel('Brain that gets them').selectOption('harbor')
  for (const name of ['Lessons', 'Skills']) await dialog().getByLabel(name, { exact: true }).uncheck()
  await start()
  await dialog().getByText('Choose lessons, skills or both.').waitFor()
  expect(await barriers(page)).toEqual([])
  await dialog().getByLabel('Lessons', { exact: true }).check()
  await dialog().getByLabel('Worded by').selectOption('Writer')
  await dialog().getByLabel('Only these runs').fill(runId)
  await start()
  await page.getByRole('heading', { name: 'Distillation into harbor' }).waitFor()
  const [made] = await listDistillations()
  expect(made).toMatchObject({
    from: { agentId, runs: [runId], since: new Date('2020-01-01T10:00').toISOString(), outcome: ['completed'] },
    ...{ brain: 'harbor', produce: ['lesson'], allowWider: false },
  })
  expect(made.model).not.toBeNull()
  await page.getByText('1 of 1 run read.').waitFor()
  await page.getByRole('list', { name: 'Items' }).getByText('Add what answers this question.').waitFor()
  expect(await barriers(page)).toEqual([])
})

test('DST-17 the pages of an agent and of a run learn from its runs and from it', async () => {
  const { page } = browser
  await page.goto(`/agents/${agentId}`)
  await page.getByRole('button', { name: 'Learn from runs' }).click()
  expect(await dialog().getByLabel('Runs of').inputValue()).toBe(agentId)
  expect(await dialog().getByLabel('Brain that gets them').inputValue()).toBe('harbor')
  await start()
  await page.getByRole('heading', { name: 'Distillation into harbor' }).waitFor()
  expect((await listDistillations())[0].from).toEqual({ agentId })
  await page.goto(`/runs/${runId}`)
  await page.getByRole('button', { name: 'Learn from it' }).click()
  await dialog().getByText('Who keeps the zebra xylophone?').waitFor()
  expect(await barriers(page)).toEqual([])
  await start()
  await page.getByRole('heading', { name: 'Distillation into harbor' }).waitFor()
  expect((await listDistillations())[0].from).toEqual({ runs: [runId] })
})

test('DST-18 a Brain with a reader who cannot read the Brains of the runs is refused until the person allows it', async () => {
  const { page } = browser
  const { page: other } = colleague.browser
  await page.goto(`/runs/${runId}`)
  await page.getByRole('button', { name: 'Learn from it' }).click()
  await dialog().getByLabel('Brain that gets them').selectOption('lessons')
  await start()
  await dialog().getByText('This Brain has members, keys or apps that cannot read every Brain of these runs.').waitFor()
  await dialog().getByLabel('Readers of this Brain may know').check()
  await dialog().getByText('Everyone who can read lessons will see that').waitFor()
  expect(await barriers(page)).toEqual([])
  await start()
  await page.getByRole('heading', { name: 'Distillation into lessons' }).waitFor()
  expect((await listDistillations())[0]).toMatchObject({ brain: 'lessons', allowWider: true })
  await other.goto('/evals?open=distillations')
  await other.getByText('No distillations yet').waitFor()
  expect(browser.problems).toEqual([])
})
