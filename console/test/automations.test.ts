import { expect, test } from 'vitest'
import { barriers } from './browser.ts'
import { type Call, createCaller } from './callers.ts'
import { signUp } from './member.ts'
import { provideBrowser } from './provide-browser.ts'
import { provideService } from './provide-service.ts'

// Triggers and schedules start runs. A person creates, watches, pauses and resumes them.

let call: Call
let agentId: string

const service = provideService()
const browser = provideBrowser(
  () => service,
  async () => {
    call = createCaller(service, await signUp(service, browser, 'automation@example.com'))
    await call('PUT', '/v1/brains/stories', {})
    await call('POST', '/v1/brains/stories/records', { kind: 'person', fields: { name: 'Ada' } })
    const { agent } = await call('POST', '/v1/agents', {
      ...{ name: 'Librarian', instructions: 'Answer from the Brain.', model: 'noema/extractive' },
      brains: [{ handle: 'stories', access: 'read_only' }],
    })
    agentId = agent.id
  },
)

test('a trigger is created, fires, shows its run, is paused, resumed, changed and deleted', async () => {
  const { page } = browser
  await page.goto('/automations')
  await page.getByText('No triggers yet').waitFor()
  await page.getByRole('button', { name: 'New trigger' }).first().click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name').fill('New people')
  await dialog.getByText('every event of the Brain’s content starts a run').waitFor()
  await dialog.getByLabel('Reads and writes').check()
  await dialog.getByText('Librarian only reads the Brain stories.').waitFor()
  await dialog.getByLabel('Reads only').check()
  await dialog.getByLabel('Another kind').fill('person')
  await dialog.getByLabel('Another kind').press('Enter')
  expect(await dialog.getByLabel('person').isChecked()).toBe(true)
  await dialog.getByLabel('Expected outcome').fill('Say who it is.')
  expect(await barriers(page)).toEqual([])
  await dialog.getByRole('button', { name: 'Create trigger' }).click()
  await page.getByRole('link', { name: 'New people' }).click()
  await page.waitForURL('**/automations/triggers/trg_*')
  await page.getByText('No runs yet').waitFor()

  await call('POST', '/v1/brains/stories/records', { kind: 'person', fields: { name: 'Bo' } })
  const runs = page.getByRole('table', { name: 'Started runs' })
  await runs.getByText('completed').waitFor()
  expect(await page.getByRole('navigation', { name: 'Breadcrumbs' }).textContent()).toContain('New people')
  expect(await barriers(page)).toEqual([])

  await page.getByRole('button', { name: 'Pause' }).click()
  await page.locator('main [data-status=off]').waitFor()
  await page.getByRole('button', { name: 'Resume' }).click()
  await page.locator('main [data-status=active]').waitFor()
  await page.getByRole('button', { name: 'Change', exact: true }).click()
  await dialog.getByLabel('Name').fill('New and changed people')
  await dialog.getByRole('button', { name: 'Save trigger' }).click()
  await page.getByRole('heading', { name: 'New and changed people' }).waitFor()

  await runs.getByRole('link').first().click()
  await page.waitForURL('**/runs/*')
  await page.getByRole('link', { name: 'trigger', exact: true }).click()
  await page.waitForURL('**/automations/triggers/trg_*')
  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  await dialog.getByRole('button', { name: 'Delete trigger' }).click()
  await page.getByText('No triggers yet').waitFor()
})

test('a schedule describes its times before it is created, and shows the refusal of the service', async () => {
  const { page } = browser
  await page.goto('/automations?tab=schedules')
  await page.getByText('No schedules yet').waitFor()
  await page.getByRole('button', { name: 'New schedule' }).first().click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('At 09:00 on weekdays').waitFor()
  await dialog.getByLabel('When', { exact: true }).selectOption('Every hour')
  await dialog.getByText('Every hour at :00').waitFor()
  await dialog.getByLabel('Cron expression').fill('30 8 1 * *')
  await dialog.getByText('At 08:30 on day 1 of the month').waitFor()
  expect(await dialog.getByRole('list', { name: 'Next times' }).getByRole('listitem').count()).toBe(5)
  await dialog.getByLabel('Time zone', { exact: true }).fill('Asia/Tok')
  await page.getByRole('option', { name: 'Asia/Tokyo' }).click()
  await dialog.getByLabel('Input of each run').fill('What is new?')
  expect(await barriers(page)).toEqual([])
  await dialog.getByLabel('Cron expression').fill('0 9 31 2 *')
  await dialog.getByText('This expression never matches.').waitFor()
  await dialog.getByRole('button', { name: 'Create schedule' }).click()
  await dialog.locator('.field-error').getByText('See that the month has such a day').waitFor()
  await dialog.getByLabel('Cron expression').fill('30 8 1 * *')
  await dialog.getByRole('button', { name: 'Create schedule' }).click()
  await page.getByRole('link', { name: 'At 08:30 on day 1 of the month' }).click()
  await page.waitForURL('**/automations/schedules/sch_*')
  await page.getByText('Asia/Tokyo').first().waitFor()
  await page.getByText('What is new?').waitFor()
  expect(await barriers(page)).toEqual([])
  const { schedules } = await call('GET', '/v1/schedules')
  expect(schedules).toMatchObject([
    { cron: '30 8 1 * *', timezone: 'Asia/Tokyo', input: 'What is new?', enabled: true },
  ])

  await page.getByRole('button', { name: 'Change', exact: true }).click()
  await dialog.getByText('Messages', { exact: true }).click()
  await dialog.getByLabel('Messages as JSON').fill('[{ "role": "user", "text": "And now?" }]')
  await dialog.getByRole('button', { name: 'Save schedule' }).click()
  await page.getByText('And now?').waitFor()
  await page.getByRole('button', { name: 'Run now' }).click()
  await page.waitForURL('**/runs/run_*')
})

test('lists that cannot be loaded say so, and can be reloaded', async () => {
  const { page } = browser
  const refused = {
    status: 403,
    json: { error: { kind: 'forbidden', message: 'Not for you.' } },
  }
  await page.route('**/v1/automations/triggers', (route) => route.fulfill(refused))
  await page.goto('/automations')
  await page.getByRole('alert').getByText('Not for you.').waitFor()
  expect(await barriers(page)).toEqual([])
  await page.unrouteAll({ behavior: 'wait' })
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByText('No triggers yet').waitFor()
})

test('a paused schedule names the reason, and can be resumed', async () => {
  const { page } = browser
  const other = await call('POST', '/v1/agents', {
    ...{ name: 'Gone', instructions: '', model: 'noema/extractive' },
    brains: [{ handle: 'stories', access: 'read_only' }],
  })
  const { schedule } = await call('POST', '/v1/schedules', { agentId: other.agent.id, cron: '@daily', input: 'Look.' })
  await call('DELETE', `/v1/agents/${other.agent.id}`)
  await page.goto(`/automations/schedules/${schedule.id}`)
  await page.getByText('Its agent is archived. Name another agent.').waitFor()
  expect(await barriers(page)).toEqual([])
  await page.getByRole('button', { name: 'Change', exact: true }).click()
  const dialog = page.getByRole('dialog')
  expect(await dialog.getByLabel('Agent').inputValue()).toBe(other.agent.id)
  await dialog.getByLabel('Agent').selectOption('Librarian')
  await dialog.getByRole('button', { name: 'Save schedule' }).click()
  await page.locator('main [data-status=active]').waitFor()
  expect(
    (await call('GET', '/v1/schedules')).schedules.find(({ id }: { id: string }) => id === schedule.id),
  ).toMatchObject({
    agentId,
  })
  expect(browser.problems).toEqual([])
})

test('EVL-31 schedules of an eval and of a distillation are made and shown, and the eval links to its own', async () => {
  const { page } = browser
  const tested = await call('POST', '/v1/evals', {
    ...{ name: 'Stories', target: { brain: 'stories', read: 'search', mode: 'lexical' } },
    ...{ cases: [{ id: 'ada', input: 'Ada', expected: 'Ada' }], graders: [{ type: 'contains' }] },
  })
  await page.goto(`/evals?open=${tested.eval.id}`)
  await page.getByRole('button', { name: 'Schedule', exact: true }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('At 03:00 every day').waitFor()
  expect(await dialog.getByLabel('Eval', { exact: true }).last().inputValue()).toBe(tested.eval.id)
  expect(await barriers(page)).toEqual([])
  await dialog.getByRole('button', { name: 'Create schedule' }).click()
  await page.getByText('Runs by itself:').waitFor()
  await page.getByRole('link', { name: 'At 03:00 every day' }).click()
  await page.waitForURL('**/automations/schedules/sch_*')
  await page.getByRole('link', { name: 'Stories' }).waitFor()
  expect(await barriers(page)).toEqual([])
  await page.getByRole('button', { name: 'Run now' }).click()
  await page.waitForURL(`**/evals?open=${tested.eval.id}`)

  await page.goto('/automations?tab=schedules')
  await page.getByRole('button', { name: 'New schedule' }).first().click()
  await dialog.getByText('Distillation', { exact: true }).click()
  await dialog.getByLabel('Of the last days').fill('0')
  await dialog.getByRole('button', { name: 'Create schedule' }).click()
  await dialog.locator('.field-error').getByText('whole number of days').waitFor()
  await dialog.getByLabel('Of the last days').fill('7')
  expect(await barriers(page)).toEqual([])
  await dialog.getByRole('button', { name: 'Create schedule' }).click()
  const row = page.getByRole('row').filter({ hasText: 'distillation into stories' })
  await row.getByRole('link').first().click()
  await page.getByText('of all agents, of the last 7 days').waitFor()
  await page.getByRole('button', { name: 'Change', exact: true }).click()
  await dialog.getByLabel('Of the last days').fill('2')
  await dialog.getByRole('button', { name: 'Save schedule' }).click()
  await page.getByText('of all agents, of the last 2 days').waitFor()
  const { schedules } = await call('GET', '/v1/schedules')
  expect(schedules.slice(-2)).toMatchObject([
    { evalId: tested.eval.id, cron: '0 3 * * *' },
    { distillation: { from: { sinceDays: 2 }, into: { brain: 'stories' }, produce: ['lesson', 'skill'] } },
  ])
})
