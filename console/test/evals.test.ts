import { expect, test } from 'vitest'
import { barriers } from './browser.ts'
import type { Call } from './callers.ts'
import { provideBrowser } from './provide-browser.ts'
import { provideService } from './provide-service.ts'
import { signUpOnPage } from './signed-in.ts'

// Evals in the console. The tests build on each other.

let call: Call
let runId: string

const service = provideService()
const browser = provideBrowser(
  () => service,
  async () => {
    call = await signUpOnPage(browser, service, 'evals@example.com')
    await call('PUT', '/v1/brains/harbor', {})
    const text = 'The harbor has a high tide at noon.'
    await call('POST', '/v1/brains/harbor/documents', { id: 'tide', title: 'Tide', text })
    const given = {
      name: 'Librarian',
      instructions: 'Answer.',
      model: 'noema/extractive',
      brains: [{ handle: 'harbor' }],
    }
    const { agent } = await call('POST', '/v1/agents', given)
    const { run } = await call('POST', '/v1/runs', { agentId: agent.id, input: 'When is high tide?' })
    runId = run.runId
  },
)
const dialog = () => browser.page.getByRole('dialog', { name: 'Add to an eval' })

test('EVL-30 a search becomes a case of a new eval, with the item that it has to find', async () => {
  const { page } = browser
  await page.goto('/evals')
  await page.getByText('No evals yet').waitFor()
  expect(await barriers(page)).toEqual([])
  await page.goto('/brains/harbor/playground?q=high+tide&panels=search')
  await page.getByRole('button', { name: 'Add to an eval' }).click()
  await dialog().getByLabel('Name of the eval').fill('Tides')
  await dialog().getByRole('checkbox', { name: 'Tide document' }).waitFor()
  expect(await barriers(page)).toEqual([])
  await dialog().getByRole('button', { name: 'Add case' }).click()
  await dialog().getByRole('link', { name: 'Open the eval' }).click()
  await page.getByRole('heading', { name: 'Tides' }).waitFor()
  const [tested] = (await call('GET', '/v1/evals')).evals
  expect(tested).toMatchObject({ name: 'Tides', cases: 1, target: { brain: 'harbor', read: 'search' } })
  const { cases } = await call('GET', `/v1/evals/${tested.id}/cases`)
  expect(cases).toMatchObject([{ input: 'high tide', expected: { found: [{ type: 'document', id: 'tide' }] } }])
})

test('EVL-30 an eval is run, and its cases are shown next to the baseline with what flipped', async () => {
  const { page } = browser
  await page.getByRole('button', { name: 'Run', exact: true }).click()
  const panel = page.getByRole('region', { name: 'Cases of the run' })
  await panel.getByText('1 of 1', { exact: true }).waitFor()
  await panel.getByText('passed', { exact: true }).first().waitFor()
  // Only a completed run is the baseline of the next one.
  await page.getByRole('table', { name: 'Runs of the eval' }).getByText('completed').waitFor()
  await call('DELETE', '/v1/brains/harbor/documents/tide')
  await page.getByRole('button', { name: 'Run', exact: true }).click()
  await panel.getByText('passed before').waitFor()
  await panel.getByText('It did not read the document "tide".').waitFor()
  await panel.getByText('−100.0 points').waitFor()
  expect(await barriers(page)).toEqual([])
  await panel.getByLabel('Flipped').check()
  await panel.getByText('passed before').waitFor()
})

test('EVL-30 a run becomes a case of an eval of its agent', async () => {
  const { page } = browser
  await expect.poll(async () => (await call('GET', `/v1/runs/${runId}`)).run.completedAt).not.toBeNull()
  await page.goto(`/runs/${runId}`)
  await page.getByRole('button', { name: 'Add to an eval' }).click()
  await dialog().getByLabel('Name of the eval').fill('Answers')
  await dialog().getByLabel('The answer has to contain').fill('noon')
  await dialog().getByRole('button', { name: 'Add case' }).click()
  await dialog().getByRole('link', { name: 'Open the eval' }).waitFor()
  const { evals } = await call('GET', '/v1/evals')
  const made = evals.find(({ name }: { name: string }) => name === 'Answers')
  const { cases } = await call('GET', `/v1/evals/${made.id}/cases`)
  expect(cases).toMatchObject([{ input: 'When is high tide?', expected: { contains: ['noon'] } }])
})

test('GOL-11 goals are listed, and one is shown with what failed in its attempts, paused and abandoned', async () => {
  const { page } = browser
  const { agents } = await call('GET', '/v1/agents')
  const { goal } = await call('POST', '/v1/goals', {
    agentId: agents[0].id,
    objective: 'Say when the tide is low.',
    criteria: [{ type: 'contains', name: 'midnight', values: ['midnight'] }],
  })
  await page.goto('/evals')
  await page.getByRole('link', { name: 'Goals', exact: true }).click()
  await page.getByRole('link', { name: 'Say when the tide is low.' }).click()
  await page.getByRole('heading', { name: 'Say when the tide is low.' }).waitFor()
  const attempts = page.getByRole('list', { name: 'Attempts' })
  await attempts.getByText('The answer does not have "midnight".').first().waitFor()
  expect(await barriers(page)).toEqual([])
  await page.getByRole('button', { name: /Pause|Resume/ }).waitFor()
  await page.getByRole('button', { name: 'Abandon' }).click()
  await page.getByRole('button', { name: 'Abandon goal' }).click()
  await page.getByText('abandoned', { exact: true }).waitFor()
  expect((await call('GET', `/v1/goals/${goal.id}`)).goal.state).toBe('abandoned')
})
