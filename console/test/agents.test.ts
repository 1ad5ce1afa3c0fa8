import { expect, test } from 'vitest'
import { barriers } from './browser.ts'
import { type Call, createCaller } from './callers.ts'
import { signUp } from './member.ts'
import { provideBrowser } from './provide-browser.ts'
import { provideService } from './provide-service.ts'

// An agent and its parts: tools of connectors, triggers and schedules, and the reads and writes of its runs.

let call: Call
let agentId: string
let brainId: string

const service = provideService()
const browser = provideBrowser(
  () => service,
  async () => {
    call = createCaller(service, await signUp(service, browser, 'agents@example.com'))
    brainId = (await call('PUT', '/v1/brains/stories', {})).brain.id
    await call('POST', '/v1/brains/stories/documents', { id: 'call', text: 'Ada Martin: I work at Engine Company.' })
    agentId = await createAgent('Librarian', { tools: ['ask_human'] })
    await createAgent('Scribe')
  },
)

const createAgent = async (name: string, more: object = {}): Promise<string> => {
  const given = { instructions: '', model: 'noema/extractive', brains: [{ handle: 'stories', access: 'read_write' }] }
  return (await call('POST', '/v1/agents', { name, ...given, ...more })).agent.id
}

test('a write of a run leads to its change, with everything that it proposed', async () => {
  const { page } = browser
  const scribe = await createAgent('Proposer', { instructions: 'noema/extractive: propose statements' })
  const input = 'Read the document "call".'
  const { run } = await call('POST', '/v1/runs', { agentId: scribe, input })
  await page.goto(`/runs/${run.runId}`)
  await page.getByRole('heading', { name: input }).waitFor()
  await page.getByRole('button', { name: /knowledge_write/ }).click()
  await page.getByRole('dialog').getByRole('link', { name: 'Change of the write' }).click()
  await page.waitForURL('**/brains/stories/changes/*')
  await page.getByText('Engine Company').first().waitFor()
})

test('an agent gets tools of a connector and another agent, a schema and a limit, and links to its parts', async () => {
  const { page } = browser
  await call('POST', '/v1/connectors', { name: 'tickets', url: 'https://1.1.1.1/mcp' })
  await call('POST', '/v1/automations/triggers', { knowledgeGraphId: brainId, agentId, name: 'Watch', enabled: false })
  await call('POST', '/v1/schedules', { agentId, cron: '@daily', input: 'Look.', enabled: false })
  await page.goto(`/agents/${agentId}`)
  await page.getByRole('link', { name: 'connect a model' }).waitFor()
  await page.getByRole('button', { name: 'Change', exact: true }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('tickets', { exact: true }).selectOption('only some')
  await dialog.getByRole('button', { name: 'Save as a new version' }).click()
  await dialog.getByRole('alert').getByText('Select the tools of the connector').waitFor()
  await dialog.getByLabel('Tools of tickets').fill('find, read')
  await dialog.getByText('Other agents that it can ask').click()
  await dialog.getByLabel('Scribe').check()
  await dialog
    .getByLabel('Output schema')
    .fill('{ "type": "object", "properties": { "answer": { "type": "string" } } }')
  await dialog.getByLabel('Maximum US dollars').fill('1.5')
  expect(await barriers(page)).toEqual([])
  await dialog.getByRole('button', { name: 'Save as a new version' }).click()
  await dialog.waitFor({ state: 'detached' })
  const { agent } = await call('GET', `/v1/agents/${agentId}`)
  expect(agent).toMatchObject({ limits: { maxCostCents: 150 }, outputSchema: { type: 'object' } })
  expect(agent.tools).toEqual([
    'ask_human',
    { connector: expect.any(String), allow: ['find', 'read'] },
    { agent: expect.any(String) },
  ])
  await page.getByText('find, read').waitFor()
  await page.getByRole('link', { name: 'Scribe' }).waitFor()
  const starters = page.getByRole('region', { name: 'Started by' })
  await starters.getByRole('link', { name: 'At 00:00 every day' }).waitFor()
  expect(await barriers(page)).toEqual([])
  await starters.getByRole('link', { name: 'Watch' }).click()
  await page.waitForURL('**/automations/triggers/*')
  await page.goto(`/agents/${agentId}`)
  await page.getByRole('link', { name: 'tickets' }).click()
  await page.getByRole('dialog', { name: 'tickets' }).getByRole('link', { name: 'Librarian' }).waitFor()
  expect(browser.problems).toEqual([])
})
