import { expect, test } from 'vitest'
import { barriers } from './browser.ts'
import { type Call, createCaller } from './callers.ts'
import { writeKnowledge } from './knowledge.ts'
import { signUp } from './member.ts'
import { provideBrowser } from './provide-browser.ts'
import { provideService } from './provide-service.ts'

// Lists of runs, tasks and items: their search, their order and their count, and the search of the palette.

let call: Call

const service = provideService()
const browser = provideBrowser(
  () => service,
  async () => {
    call = createCaller(service, await signUp(service, browser, 'lister@example.com'))
    await call('PUT', '/v1/brains/atlas', { purpose: 'Projects and people' })
    await writeKnowledge((method, path, body) => call(method, `/v1/brains/atlas${path}`, body))
    const agents = []
    for (const name of ['Zoe', 'Librarian', 'Ann', 'Bert', 'Carl', 'Dora'])
      agents.push(
        await call('POST', '/v1/agents', {
          ...{ name, instructions: 'Answer from the Brain.', model: 'noema/extractive', tools: ['ask_human'] },
          brains: [{ handle: 'atlas', access: 'read_only' }],
        }),
      )
    const agentId = agents[1].agent.id
    for (const input of ['When do we release?', 'Who answers the pager at night?', 'Which zebra sings?'])
      await call('POST', '/v1/runs', { agentId, input })
  },
)

const rows = (name: string) => browser.page.getByRole('table', { name, exact: true }).locator('tr[data-row]')
const search = () => Object.fromEntries(new URL(browser.page.url()).searchParams)

test('runs are listed by their question, and found by words and time, in the URL', async () => {
  const { page } = browser
  await page.goto('/runs')
  await expect.poll(() => rows('Runs').count()).toBe(3)
  await page.getByRole('searchbox', { name: 'Search questions' }).fill('PAGER night')
  await expect.poll(() => rows('Runs').count()).toBe(1)
  await page.getByText('1 run', { exact: true }).waitFor()
  expect(search()).toEqual({ q: 'PAGER night' })
  await page.getByLabel('Time').selectOption('Last hour')
  await expect.poll(search).toEqual({ q: 'PAGER night', last: 'hour' })
  expect(await rows('Runs').count()).toBe(1)
  expect(await barriers(page)).toEqual([])
  await page.getByLabel('Time').selectOption('From … until …')
  await page.getByLabel('Until').fill('2020-01-01T00:00')
  await page.getByText('No matching runs').waitFor()
  await page.goto('/runs')
  await page.getByRole('link', { name: 'Who answers the pager at night?' }).click()
  await page.getByRole('heading', { name: 'Who answers the pager at night?' }).waitFor()
  expect(await barriers(page)).toEqual([])
})

test('operations name their run and agent, and are found by words', async () => {
  const { page } = browser
  await page.goto('/activity')
  await rows('Operations').first().waitFor()
  await page.getByRole('link', { name: 'When do we release?' }).first().waitFor()
  await expect.poll(() => rows('Operations').first().textContent()).toContain('Librarian')
  await page.getByRole('searchbox', { name: 'Search names and inputs' }).fill('knowledge_context release')
  await expect.poll(() => page.getByRole('link', { name: 'Which zebra sings?' }).count()).toBe(0)
  expect(await rows('Operations').count()).toBeGreaterThan(0)
  expect(await barriers(page)).toEqual([])
})

test('the prompt of a trigger is shown in parts, in the title of its run and in the question of its task', async () => {
  const { page } = browser
  const { brain } = await call('GET', '/v1/brains/atlas')
  const { agents } = await call('GET', '/v1/agents')
  await call('POST', '/v1/automations/triggers', {
    ...{ knowledgeGraphId: brain.id, agentId: agents[1].id, name: 'New pages', expectedOutcome: 'Say who sings.' },
    kindScopes: [{ entityKind: 'document' }],
  })
  await call('POST', '/v1/brains/atlas/documents', { id: 'wiki/quay.md', text: 'The quay is new.' })
  await expect.poll(async () => (await call('GET', '/v1/tasks?text=quay.md')).tasks.length).toBe(1)
  await page.goto('/tasks?q=quay.md')
  const question = page.getByRole('group', { name: 'Question from this run' })
  await question.getByText('Say who sings.').waitFor()
  await question.getByRole('link', { name: 'wiki/quay.md' }).waitFor()
  expect(await question.getByText('```json').count()).toBe(0)
  expect(await barriers(page)).toEqual([])
  await page.getByRole('link', { name: 'Open the run' }).click()
  await page
    .getByRole('heading', { name: 'New pages: Say who sings. (document served wiki/quay.md in atlas)' })
    .waitFor()
})

test('records are found by words, and sorted by an indexed field as a whole', async () => {
  const { page } = browser
  await page.goto('/brains/atlas/records?kind=person')
  await page.getByRole('button', { name: 'level' }).click()
  await page.getByText('that have level, sorted by it').waitFor()
  await page.getByRole('button', { name: 'level' }).click()
  await expect.poll(search).toEqual({ kind: 'person', sort: 'level', order: 'desc' })
  const levels = () =>
    page
      .locator('tr[data-row] td:nth-child(3)')
      .allTextContents()
      .then((all) => all.slice(0, 6).map(Number))
  await expect.poll(levels).toEqual([7, 7, 7, 7, 7, 7])
  expect(await page.getByRole('columnheader', { name: 'level' }).getAttribute('aria-sort')).toBe('descending')
  expect(await page.getByRole('button', { name: 'about' }).count()).toBe(0)
  await page.getByRole('searchbox', { name: 'Search records by words' }).fill('Okafor')
  await rows('Found records').first().waitFor()
  await page.getByText(/\d+ records, best first/).waitFor()
  expect(await barriers(page)).toEqual([])
  await page.goto('/brains/atlas/documents')
  await page.getByText('13 documents').waitFor()
  await page.getByRole('searchbox', { name: 'Search documents by words' }).fill('rota')
  await expect.poll(() => rows('Found documents').count()).toBe(1)
  expect(await barriers(page)).toEqual([])
})

test('a list that is loaded as a whole is searched, counted and sorted', async () => {
  const { page } = browser
  await page.goto('/agents')
  const names = () => rows('Agents').locator('td:first-child').allTextContents()
  await expect.poll(names).toEqual(['Zoe', 'Librarian', 'Ann', 'Bert', 'Carl', 'Dora'])
  await page.getByRole('button', { name: 'Name', exact: true }).press('Enter')
  await expect.poll(names).toEqual(['Ann', 'Bert', 'Carl', 'Dora', 'Librarian', 'Zoe'])
  await page.getByRole('searchbox', { name: 'Search agents' }).fill('ar')
  await page.getByText('2 of 6 agents').waitFor()
  expect(await names()).toEqual(['Carl', 'Librarian'])
  expect(await barriers(page)).toEqual([])
  await page.getByRole('searchbox', { name: 'Search agents' }).fill('nothing at all')
  await page.getByText('No agents match “nothing at all”').waitFor()
})

test('the palette finds items of the open Brain, runs and changes by content, and says where it looked', async () => {
  const { page } = browser
  await page.goto('/brains/atlas')
  await page.getByRole('button', { name: 'Go to, or search' }).waitFor()
  await page.keyboard.press('Control+k')
  const field = page.getByRole('combobox', { name: 'Go to, or search' })
  await field.fill('rota')
  await page.getByRole('option', { name: /On call/ }).waitFor()
  expect(await barriers(page)).toEqual([])
  await field.fill('pager at night')
  await page.getByRole('option', { name: /Who answers the pager at night/ }).waitFor()
  await field.fill('kinds of the example')
  await page.getByRole('option', { name: /The kinds of the example/ }).waitFor()
  await field.fill('xylophone quartz')
  await page.getByText(/No content found\. Searched: .*content of atlas.*2,000 runs/).waitFor()
  await field.fill('pager at night')
  const option = page.getByRole('option', { name: /Who answers/ })
  await option.waitFor()
  // Items of the Brain come first.
  for (let step = 0; step < 20 && (await option.getAttribute('aria-selected')) !== 'true'; step++)
    await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Who answers the pager at night?' }).waitFor()
})

test('projects are created, renamed, filtered by, and archived', async () => {
  const { page } = browser
  await page.goto('/projects')
  await page.getByRole('button', { name: 'New project' }).click()
  await page.getByRole('textbox', { name: 'Name' }).fill('Harbor')
  await page.getByRole('button', { name: 'Create project' }).click()
  await page.getByRole('button', { name: 'Actions for Harbor' }).click()
  await page.getByRole('menuitem', { name: 'Rename' }).click()
  await page.getByRole('textbox', { name: 'Name' }).fill('Port')
  await page.getByRole('button', { name: 'Rename', exact: true }).click()
  await page.getByRole('button', { name: 'Actions for Port' }).waitFor()
  expect(await barriers(page)).toEqual([])
  await page.getByRole('link', { name: 'Runs of Port' }).click()
  await page.getByText('No matching runs').waitFor()
  await page.getByLabel('Project').selectOption('Default')
  await rows('Runs').first().waitFor()
  await page.goto('/projects')
  await page.getByRole('button', { name: 'Actions for Port' }).click()
  await page.getByRole('menuitem', { name: 'Archive…' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Archive' }).click()
  await expect.poll(() => page.getByText('Port', { exact: true }).count()).toBe(0)
  await page.getByLabel('Archived').check()
  await page.getByText('archived', { exact: true }).waitFor()
})

test('a conversation is renamed and deleted', async () => {
  const { page } = browser
  await call('POST', '/v1/conversations', { title: 'Offers' })
  await page.goto('/conversations')
  await page.getByRole('button', { name: 'Actions for Offers' }).click()
  await page.getByRole('menuitem', { name: 'Rename' }).click()
  await page.getByLabel('Title').fill('Offers for Lyon')
  await page.getByRole('button', { name: 'Rename', exact: true }).click()
  await page.getByRole('link', { name: 'Offers for Lyon' }).click()
  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  expect(await barriers(page)).toEqual([])
  await page.getByRole('button', { name: 'Delete conversation' }).click()
  await page.getByText('No conversations yet').waitFor()
})

test('a schema of the organization is made by a form and as JSON, with its versions and Brains', async () => {
  const { page } = browser
  await page.goto('/settings/schemas')
  await page.getByRole('button', { name: 'New schema' }).first().click()
  await page.getByLabel('Name').fill('people')
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByRole('button', { name: 'New kind' }).click()
  await page.getByLabel('Kind', { exact: true }).fill('person')
  await page.getByRole('button', { name: 'Apply' }).click()
  await page.getByRole('button', { name: 'Add field' }).click()
  await page.getByLabel('Name', { exact: true }).fill('name')
  await page.getByRole('button', { name: 'Apply' }).click()
  await page.getByRole('button', { name: 'Save version' }).click()
  await page.getByText('No Brain was forked from it.').waitFor()
  expect(await barriers(page)).toEqual([])
  await page.getByText('JSON', { exact: true }).click()
  const json = page.getByLabel('Kinds as JSON')
  const kinds = JSON.parse(await json.inputValue())
  expect(kinds).toMatchObject([{ kind: 'person', fields: [{ name: 'name', type: 'string' }] }])
  await json.fill('no json')
  await page.getByRole('button', { name: 'Save version' }).click()
  await page.getByText(/This is not JSON/).waitFor()
  await json.fill(JSON.stringify([...kinds, { kind: 'team' }]))
  await page.getByRole('button', { name: 'Save version' }).click()
  await page.getByText('Version 2 saved').waitFor()
  await page.getByText('team', { exact: true }).first().waitFor()
  await call('PUT', '/v1/brains/staff', { schema: 'people' }).catch(() => undefined)
  await page.goto('/settings/schemas')
  await rows('Schemas').first().waitFor()
  expect(await barriers(page)).toEqual([])
})

test('a query is counted and grouped in the playground', async () => {
  const { page } = browser
  await page.goto('/brains/atlas/playground?panels=query')
  await page.getByLabel('Kind', { exact: true }).selectOption('project')
  await page.getByText('24 records, the first 20 shown').waitFor()
  await page.getByLabel('Group by').selectOption('status')
  const groups = page.getByRole('table', { name: 'Groups' })
  await expect.poll(() => groups.locator('tbody tr').count()).toBe(3)
  expect(await groups.locator('tbody tr').first().textContent()).toContain('8')
  await page.getByLabel('Group by').selectOption('due')
  await page.getByLabel('Each').selectOption('month')
  await groups.getByText('2030-01').waitFor()
  expect(await barriers(page)).toEqual([])
})

test('while there are too many requests, the page says how long it waits, and goes on', async () => {
  const { page } = browser
  let refused = 0
  await page.route('**/v1/brains?**', async (route) => {
    if (refused++ > 0) return route.continue()
    return route.fulfill({
      status: 429,
      headers: { 'retry-after': '2', 'content-type': 'application/json' },
      body: JSON.stringify({ error: { kind: 'rate_limited', message: 'Too many requests.' } }),
    })
  })
  await page.goto('/brains')
  await page.getByText('Too many requests: the page goes on by itself.').waitFor()
  await page.getByRole('link', { name: 'atlas' }).first().waitFor()
  await page.getByText('Too many requests: the page goes on by itself.').waitFor({ state: 'detached' })
  await page.unrouteAll({ behavior: 'wait' })
})
