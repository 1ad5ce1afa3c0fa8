import { expect, test } from 'vitest'
import { barriers } from './browser.ts'
import { type Call, createBrainCaller } from './callers.ts'
import { writeKnowledge } from './knowledge.ts'
import { signUp } from './member.ts'
import { provideBrowser } from './provide-browser.ts'
import { provideService } from './provide-service.ts'

// The overview of a Brain, its graph, its schema, and the playground. The tests build on each other.

let call: Call

const service = provideService()
const browser = provideBrowser(
  () => service,
  async () => {
    const headers = await signUp(service, browser, 'structure@example.com')
    await service.request('PUT', '/v1/brains/atlas', { headers, body: {} })
    call = createBrainCaller(service, headers, 'atlas')
    await writeKnowledge(call)
  },
)

test('the overview shows counts, follows the stream, and lists pending changes, upcoming dates and readers', async () => {
  const { page } = browser
  await page.goto('/brains/atlas')
  await page.getByRole('region', { name: 'Readers' }).getByText('support-agent').waitFor()
  await page.getByRole('region', { name: 'Upcoming dates' }).getByRole('link').first().waitFor()
  await page.getByText('No webhooks.').waitFor()
  await page.locator('.event').first().waitFor()
  expect(await page.locator('.stat').allTextContents()).toEqual(
    expect.arrayContaining(['Records200', 'Statements18', 'Documents12', 'Pending reviews0']),
  )
  await call('PATCH', '/records/person-1', { fields: { role: 'Lead' } })
  await expect.poll(() => page.locator('.event').first().textContent()).toContain('updated: role')
  // Axe checks a few events in a tenth of the time of two hundred.
  await page.goto('/brains/atlas?types=document.retired,schema.evolved')
  await page.locator('.event').first().waitFor()
  await page.getByRole('region', { name: 'Readers' }).getByText('support-agent').waitFor()
  expect(await barriers(page)).toEqual([])
})

test('the graph starts at a record, with a chosen depth, and a hub shows how many neighbors are hidden and loads more', async () => {
  const { page } = browser
  await page.goto('/brains/atlas/graph?seed=project-0')
  const table = page.locator('.graph-table')
  const graph = page.getByRole('region', { name: 'Graph', exact: true })
  await expect.poll(() => graph.getAttribute('aria-busy')).toBe('false')
  const near = await table.locator('tbody tr').count()
  const hub = table.getByRole('row').filter({ hasText: 'Project 1' }).first()
  expect(await hub.getByRole('button', { name: /^\+\d+ more$/ }).count()).toBe(1)
  await hub.getByRole('button', { name: /^\+\d+ more$/ }).click()
  await expect.poll(() => table.locator('tbody tr').count()).toBeGreaterThan(near + 40)
  await page.getByLabel('Steps').selectOption('2')
  await expect.poll(() => graph.getAttribute('aria-busy')).toBe('false')
  await page.getByRole('checkbox', { name: 'ticket' }).uncheck()
  await expect.poll(() => table.getByRole('cell', { name: 'ticket', exact: true }).count()).toBe(0)
  await table.getByRole('button', { name: 'Project 1', exact: true }).click()
  await graph.getByRole('link', { name: 'Open record' }).waitFor()
  expect(await table.locator('tr.is-selected').count()).toBe(1)
})

test('the graph of a Brain starts with its most connected records, says what is left out, and grows', async () => {
  const { page } = browser
  await page.goto('/brains/atlas/graph')
  await page.getByText('The 100 most connected of 200 records; 100 records are left out.').waitFor()
  const rows = page.locator('.graph-table tbody tr')
  await expect.poll(() => rows.count()).toBe(100)
  // The project that most tickets are about.
  const hub = rows.filter({ has: page.getByRole('button', { name: 'Project 1', exact: true }) })
  await hub.getByRole('button', { name: /^\+\d+ more$/ }).click()
  await expect.poll(() => rows.count()).toBeGreaterThan(110)
})

test('the graph can start at search results', async () => {
  const { page } = browser
  await page.goto('/brains/atlas/graph')
  await page.getByRole('searchbox').fill('Team A')
  await page.keyboard.press('Enter')
  await page.locator('.graph-table').getByRole('button', { name: 'Team A', exact: true }).waitFor()
})

test('a browser without WebGL shows the table instead of the graph', async () => {
  const { page } = browser
  await page.addInitScript(`{
    const getContext = HTMLCanvasElement.prototype.getContext
    HTMLCanvasElement.prototype.getContext = function (sort, ...rest) {
      return sort.includes('webgl') && location.search.includes('team-1') ? null : getContext.call(this, sort, ...rest)
    }
  }`)
  await page.goto('/brains/atlas/graph?seed=team-1')
  await page.getByText('This browser cannot draw graphs').waitFor()
  await page.locator('.graph-table').getByRole('button', { name: 'Team B', exact: true }).waitFor()
  expect(await barriers(page)).toEqual([])
})

test('a schema change is collected step by step, and proposed with the records that would not comply', async () => {
  const { page } = browser
  await page.goto('/brains/atlas/schema?kind=person')
  await page.getByRole('button', { name: 'Add field' }).click()
  const form = page.getByRole('dialog', { name: 'New field' })
  await form.getByLabel('Name').fill('email')
  await form.getByLabel('Required', { exact: false }).check()
  await form.getByLabel('Indexed', { exact: false }).check()
  await form.getByRole('button', { name: 'Add to the proposal' }).click()
  await page.getByRole('button', { name: 'Retire about' }).click()
  await page.getByText('Add person.email: string, required, indexed').waitFor()
  expect(await barriers(page)).toEqual([])
  await page.getByLabel('Reason').fill('People are written to')
  await page.getByRole('button', { name: 'Propose', exact: true }).click()
  await page.getByText('The proposal waits for review.').waitFor()
  const lines = await page.locator('.notice li').allTextContents()
  expect(lines.find((line) => line.includes('person.email'))).toContain('strengthens 48 records do not comply')
  await page.getByRole('region', { name: 'Pending proposals' }).getByText('People are written to').waitFor()
  expect((await call('GET', '/schema')).schema.schemaVersion).toBe(1)
})

test('the reviewer of a schema change sees the declarations', async () => {
  const { page } = browser
  const { changes } = await call('GET', '/changes?decision=pending')
  await page.goto(`/brains/atlas/changes/${changes[0].id}`)
  const added = page.getByRole('article', { name: 'Changes person.email' }).getByRole('row', { name: /^field email/ })
  await added.waitFor()
  expect(await added.getByRole('cell').allTextContents()).toEqual(['none', 'string, required, indexed'])
  expect(await barriers(page)).toEqual([])
  await page.goto('/brains/atlas/schema?kind=person')
})

test('undeclared structure is proposed for declaration by selecting it', async () => {
  const { page } = browser
  const emerged = page.getByRole('region', { name: 'Emerged structure' })
  await emerged.getByText('person.nickname').waitFor()
  await emerged.getByRole('checkbox', { name: 'Select row 1' }).check()
  await emerged.getByRole('button', { name: 'Propose to declare 1' }).click()
  await emerged.getByText('The proposal waits for review.').waitFor()
  expect((await call('GET', '/changes?decision=pending')).changes).toHaveLength(2)
})

test('search, context and query are side by side, each with its receipt, duration and code', async () => {
  const { page } = browser
  await page.goto('/brains/atlas/playground?q=releases')
  const context = page.getByRole('region', { name: 'Context' })
  await context.getByRole('link', { name: 'Receipt of the context' }).waitFor()
  expect(await context.locator('pre').first().textContent()).toContain('> ')
  await page.getByLabel('Tokens').selectOption('1000')
  await expect
    .poll(() => Object.fromEntries(new URL(page.url()).searchParams))
    .toEqual({ q: 'releases', tokens: '1000' })
  await context.getByRole('link', { name: 'Receipt of the context' }).waitFor()
  const consumers = (await call('GET', '/receipts?limit=3&order=desc')).receipts
  const ofContext = expect.objectContaining({ operation: 'context', consumerId: 'noema-console' })
  expect(consumers).toContainEqual(ofContext)
  await context.getByText('View as code').click()
  await context.getByRole('tab', { name: 'MCP' }).click()
  expect(await context.getByRole('tabpanel').textContent()).toContain('knowledge_context')
  expect(await barriers(page)).toEqual([])
  await page.getByRole('checkbox', { name: 'Search' }).uncheck()
  await expect.poll(() => page.getByRole('region', { name: 'Search' }).count()).toBe(0)
})

test('no page called another host, broke its policy or threw', () => {
  expect(browser.problems).toEqual([])
})
