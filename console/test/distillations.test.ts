import { expect, test } from 'vitest'
import { barriers } from './browser.ts'
import type { Call } from './callers.ts'
import { provideBrowser } from './provide-browser.ts'
import { provideService } from './provide-service.ts'
import { signUpOnPage } from './signed-in.ts'

// Distillations and derived pages in the console.

let call: Call
let runId: string
let agentId: string

const service = provideService()
const browser = provideBrowser(
  () => service,
  async () => {
    call = await signUpOnPage(browser, service, 'distillations@example.com')
    await call('PUT', '/v1/brains/harbor', {})
    const metadata = { derivedFrom: { question: 'When is high tide?' } }
    await call('POST', '/v1/brains/harbor/documents', { id: 'tide', text: 'The high tide is at noon.', metadata })
    const brains = [{ handle: 'harbor' }]
    const given = {
      name: 'Librarian',
      instructions: 'Answer.',
      model: 'noema/extractive',
      brains,
      tools: ['ask_human'],
    }
    const { agent } = await call('POST', '/v1/agents', given)
    const { run } = await call('POST', '/v1/runs', { agentId: agent.id, input: 'Who keeps the zebra xylophone?' })
    runId = run.runId
    agentId = agent.id
  },
)

test('DST-13 DST-19 the page of evals lists distillations, and one links its items to the staged changes', async () => {
  const { page } = browser
  const readTasks = async () => (await call('GET', `/v1/tasks?runId=${runId}`)).tasks
  await expect.poll(async () => (await readTasks()).length).toBe(1)
  await call('POST', `/v1/tasks/${(await readTasks())[0].taskId}/complete`, { answer: 'The harbor master.' })
  const readRun = async () => (await call('GET', `/v1/runs/${runId}`)).run.completedAt
  await expect.poll(readRun).not.toBeNull()
  const { id } = (await call('POST', '/v1/distillations', { from: { agentId }, into: { brain: 'harbor' } }))
    .distillation
  await page.goto('/evals')
  await page.getByRole('link', { name: 'Distillations' }).click()
  await page.getByRole('table', { name: 'Distillations' }).getByRole('link', { name: 'harbor' }).click()
  await page.getByRole('heading', { name: 'Distillation into harbor' }).waitFor()
  await page.getByRole('link', { name: 'staged' }).waitFor()
  await page.getByText('Add what answers this question.').waitFor()
  expect(await barriers(page)).toEqual([])
  const [item] = (await call('GET', `/v1/distillations/${id}`)).items
  await page.getByRole('link', { name: 'staged' }).click()
  await page.waitForURL(`**/brains/harbor/changes/${item.change}`)
  await page.getByRole('heading', { name: 'A lesson from a correction, seen in 1 run.' }).waitFor()
  const author = page.getByRole('link', { name: 'a distillation of runs of Librarian' })
  expect(await author.getAttribute('href')).toContain(id)
  expect(await page.locator('.change-head').textContent()).not.toContain('dst_')
  expect(await page.getByRole('link', { name: 'run 1', exact: true }).getAttribute('href')).toContain(runId)
  expect(await barriers(page)).toEqual([])
  await page.goto('/brains/harbor/documents/tide')
  await page.getByText('derived page', { exact: true }).waitFor()
})
