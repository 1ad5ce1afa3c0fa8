import { expect, test } from 'vitest'
import { barriers } from './browser.ts'
import { type Call, createBrainCaller } from './callers.ts'
import { writeKnowledge } from './knowledge.ts'
import { signUp } from './member.ts'
import { provideBrowser } from './provide-browser.ts'
import { provideService } from './provide-service.ts'

// The records of a Brain. The tests build on each other.

let call: Call

const service = provideService()
const browser = provideBrowser(
  () => service,
  async () => {
    const headers = await signUp(service, browser, 'records@example.com')
    await service.request('PUT', '/v1/brains/atlas', { headers, body: {} })
    call = createBrainCaller(service, headers, 'atlas')
    await writeKnowledge(call)
  },
)

const rows = () => browser.page.getByRole('table', { name: 'Records' }).locator('tr[data-row]')
const heads = () => browser.page.getByRole('table', { name: 'Records' }).getByRole('columnheader').allTextContents()
const open = (path: string) => browser.page.goto(`/brains/atlas/${path}`)
const query = () => Object.fromEntries(new URL(browser.page.url()).searchParams)

test('records are listed by kind, and the fields of the schema are columns to choose from', async () => {
  const { page } = browser
  await open('records')
  await rows().first().waitFor()
  expect(await heads()).toContain('Kind')
  await page.getByRole('navigation', { name: 'Kinds' }).getByRole('link', { name: 'person' }).click()
  await expect.poll(heads).toEqual(['Record', 'role', 'level', 'joined', 'nickname', 'about', 'Updated'])
  await page.getByRole('button', { name: 'Columns' }).click()
  await page.getByRole('checkbox', { name: 'about' }).uncheck()
  await page.keyboard.press('Escape')
  expect(await heads()).toEqual(['Record', 'role', 'level', 'joined', 'nickname', 'Updated'])
  expect(query()).toEqual({ kind: 'person', columns: 'role,level,joined,nickname' })
})

test('indexed fields filter the list through the URL, and the others name the reason why they cannot', async () => {
  const { page } = browser
  await open('records?kind=person')
  await page.getByLabel('Field', { exact: true }).selectOption('level')
  await page.getByLabel('Comparison').selectOption('gte')
  await page.getByLabel('Value', { exact: true }).fill('7')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Remove the filter: level ≥ 7' }).waitFor()
  await expect.poll(() => rows().count()).toBe(7)
  expect(query()).toEqual({ kind: 'person', where: '{"level":{"gte":7}}' })
  await page.getByText('Other fields').click()
  await page.getByText('about: the schema does not index it').waitFor()
  expect(await barriers(page)).toEqual([])
  await page.reload()
  await expect.poll(() => rows().count()).toBe(7)
  await page.getByRole('button', { name: 'Remove the filter: level ≥ 7' }).click()
  await expect.poll(() => rows().count()).toBeGreaterThan(7)
})

test('a record opens next to the list by keyboard, and from there its page', async () => {
  const { page } = browser
  await open('records?kind=person')
  await rows().first().waitFor()
  await page.keyboard.press('j')
  await page.keyboard.press('Enter')
  const drawer = page.getByRole('complementary', { name: 'The open record' })
  await drawer.getByRole('heading', { name: 'Ada Okafor' }).waitFor()
  expect(query()).toMatchObject({ record: 'person-0' })
  expect(await barriers(page)).toEqual([])
  await drawer.getByRole('link', { name: 'Open page' }).click()
  await page.getByRole('region', { name: 'Fields' }).waitFor()
  expect(new URL(page.url()).pathname).toBe('/brains/atlas/records/person-0')
})

test('a record shows its fields with their types, and its relations in both directions', async () => {
  const { page } = browser
  const fields = await page.getByRole('region', { name: 'Fields' }).locator('dt').allTextContents()
  expect(fields).toEqual([
    ...['namestring, required, indexed', 'rolestring, indexed', 'levelinteger, indexed', 'joineddate, indexed'],
    'abouttext',
  ])
  const relations = page.getByRole('region', { name: 'Relations' })
  // They are loaded one by one.
  for (const name of ['Statements about it', 'Linked from']) await relations.getByRole('heading', { name }).waitFor()
  expect(await relations.getByRole('heading').allTextContents()).toEqual([
    ...['Statements about it', 'Links to', 'Linked from'],
  ])
  await relations.getByRole('link', { name: 'Team A' }).waitFor()
  expect(await page.getByText('person-0', { exact: true }).count()).toBe(1)
  expect(await barriers(page)).toEqual([])
})

test('a field is edited in place and makes the next version, and the history shows the difference', async () => {
  const { page } = browser
  await page.getByRole('button', { name: 'Edit level' }).click()
  await page.getByLabel('level').fill('8')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('version 4').waitFor()
  expect((await call('GET', '/records/person-0')).record.fields.level).toBe(8)
  await page.getByRole('link', { name: 'History' }).click()
  const newest = page.getByRole('region', { name: 'History' }).getByRole('listitem').first()
  // The values from before the save stay until they are reloaded.
  await newest.getByText('Version 4').waitFor()
  expect(await newest.locator('tbody tr').allTextContents()).toEqual(['level78'])
  await newest.getByText('you', { exact: true }).waitFor()
  expect(await newest.getByRole('link', { name: 'change' }).count()).toBe(1)
})

test('a history names keys and reasons, also where links change, with one call for all of its rows', async () => {
  const { page } = browser
  const { secret } = await call('POST', '/keys', { name: 'importer', capabilities: ['read', 'write'] })
  await service.request('POST', '/v1/brains/atlas/batch', {
    key: secret,
    body: {
      reason: 'They moved to team C',
      operations: [
        {
          op: 'record.patch',
          id: 'person-7',
          links: [
            { predicate: 'memberOf', to: 'team-2' },
            { predicate: 'reportsTo', to: null },
          ],
        },
      ],
    },
  })
  const asked: string[] = []
  page.on('request', (request) => {
    if (/\/v1\/changes\?.*ids=/.test(request.url())) asked.push(request.url())
  })
  await open('records/person-7?tab=history')
  const newest = page.getByRole('region', { name: 'History' }).getByRole('listitem').first()
  await newest.getByText('“They moved to team C”').waitFor()
  await newest.getByText('importer').waitFor()
  await newest.getByRole('link', { name: 'Team C' }).first().waitFor()
  // One for the head of the page, one for the history.
  expect(asked.length).toBeLessThanOrEqual(2)
  expect(await barriers(page)).toEqual([])
  await open('records/person-0')
})

test('the fields of a record have their types as soon as they are shown', async () => {
  const { page } = browser
  const schema = /\/v1\/brains\/atlas\/schema(\?|$)/
  await page.route(schema, async (route) => {
    await page.getByRole('heading', { name: 'Ada Okafor' }).waitFor()
    expect(await page.getByText('not declared').count()).toBe(0)
    await route.continue()
  })
  await open('records/person-0')
  await page.getByText('integer, indexed').waitFor()
  await page.unrouteAll({ behavior: 'wait' })
})

test('after a faster write of another person, nothing is saved: the page shows their changes and leaves the choice', async () => {
  const { page } = browser
  await page.getByRole('navigation', { name: 'Of this record' }).getByRole('link', { name: 'Record' }).click()
  await page.getByRole('button', { name: 'Edit level' }).click()
  await page.getByLabel('level').fill('9')
  let isFirst = true
  await page.route('**/records/person-0', async (route) => {
    // Between the page's read and its write.
    if (isFirst && route.request().method() === 'PATCH') {
      isFirst = false
      await call('PATCH', '/records/person-0', { fields: { role: 'Director' } })
    }
    await route.continue()
  })
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Someone else changed this record in the meantime. Nothing was saved.').waitFor()
  expect(await page.locator('.notice tbody tr').allTextContents()).toEqual(['roleHead of dataDirector'])
  expect((await call('GET', '/records/person-0')).record.fields).toMatchObject({ role: 'Director', level: 8 })
  expect(await barriers(page)).toEqual([])
  await page.getByRole('button', { name: 'Save my version' }).click()
  await page.getByText('version 6').waitFor()
  await page.unrouteAll({ behavior: 'wait' })
  expect((await call('GET', '/records/person-0')).record.fields).toMatchObject({ role: 'Director', level: 9 })
})

test('an earlier state is shown without a way to edit it, and one step leads back', async () => {
  const { page } = browser
  const fields = page.getByRole('region', { name: 'Fields' })
  const step = (name: string) => page.getByRole('button', { name }).click()
  await step('Earlier version')
  await page.getByText('version 5').waitFor()
  await step('Earlier version')
  await page.getByText('version 4').waitFor()
  await fields.getByText('Head of data').waitFor()
  expect(await fields.getByRole('button').count()).toBe(0)
  await step('Later version')
  await page.getByText('version 5').waitFor()
  await page.getByRole('slider', { name: 'State' }).press('Home')
  await page.getByText('There was no such record at state 0.').waitFor()
  await page.getByRole('link', { name: 'As it is now' }).click()
  await page.getByText('version 6').waitFor()
})

test('a write during the visit is shown, and its previous version can be opened once the history is loaded', async () => {
  const { page } = browser
  // Simulates a page that renders after the delay of the slider.
  await page.evaluate(`{
    const wait = setTimeout
    window.setTimeout = (run, pause, ...rest) => (pause === 150 ? void queueMicrotask(run) : wait(run, pause, ...rest))
  }`)
  const history = Promise.withResolvers<void>()
  await page.route('**/records/person-0/history?**', async (route) => {
    await history.promise
    await route.continue()
  })
  await call('PATCH', '/records/person-0', { fields: { level: 10 } })
  await page.getByText('version 7').waitFor()
  const earlier = page.getByRole('button', { name: 'Earlier version' })
  expect(await earlier.isDisabled()).toBe(true)
  history.resolve()
  await earlier.click()
  await page.getByText('version 6').waitFor()
  await page.getByRole('button', { name: 'Later version' }).click()
  await page.getByText('version 7').waitFor()
  expect(query()).toEqual({})
  await page.unrouteAll({ behavior: 'wait' })
})

test('a record lists its readers', async () => {
  const { page } = browser
  await page.getByRole('link', { name: 'Readers' }).click()
  const reads = page.getByRole('region', { name: 'Readers' })
  await reads.getByRole('link', { name: 'planner' }).first().waitFor()
  await reads.getByText('changed', { exact: true }).first().waitFor()
})

test('a new record is created with a form of the schema, which shows errors before and after it is sent', async () => {
  const { page } = browser
  await open('records?kind=project')
  await page.getByRole('button', { name: 'New record' }).click()
  const form = page.getByRole('dialog', { name: 'New record' })
  await form.getByLabel('settings').fill('{region')
  await form.getByRole('button', { name: 'Create record' }).click()
  await form.getByText('This is not JSON').waitFor()
  await form.getByLabel('settings').fill('{"region": "us"}')
  await form.getByRole('button', { name: 'Create record' }).click()
  await form.getByRole('alert').waitFor()
  expect(await form.getByRole('alert').textContent()).toContain('title')
  await form.getByLabel('title (required)').fill('Project X')
  await form.getByLabel('status').selectOption('running')
  await form.getByLabel('ledBy').fill('person-1')
  expect(await barriers(page)).toEqual([])
  await form.getByRole('button', { name: 'Create record' }).click()
  await page.getByRole('heading', { name: 'Project X' }).waitFor()
  const { records } = await call('GET', '/records?kind=project&linksTo=person-1')
  expect(records).toContainEqual(
    expect.objectContaining({ fields: { title: 'Project X', status: 'running', settings: { region: 'us' } } }),
  )
})

test('a record is deleted after a confirmation, and its page shows its last version', async () => {
  const { page } = browser
  await page.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('button', { name: 'Delete record' }).click()
  await page.getByText('There is no such record now.').waitFor()
  await page.getByText('Deleted', { exact: true }).waitFor()
})

test('a record is merged into another one after a choice, and its address shows that one from then on', async () => {
  const { page } = browser
  await call('PUT', '/records/gus', { kind: 'person', fields: { name: 'Gus Grissom', role: 'pilot' } })
  await call('PUT', '/records/gus-2', {
    kind: 'person',
    fields: { name: 'V. Grissom', about: 'Mercury' },
    expiresAt: '2099-01-01T00:00:00Z',
  })
  await open('records/gus-2')
  await page.getByText('Expires').waitFor()
  await page.getByRole('button', { name: 'Keep it' }).click()
  await page.getByRole('button', { name: 'Keep record' }).click()
  await page.getByText('Expires').waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Expiry' }).click()
  await page.getByLabel('Expires', { exact: true }).fill('2098-02-01T10:00')
  expect(await barriers(page)).toEqual([])
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('button', { name: 'Keep it' }).waitFor()
  expect((await call('GET', '/records/gus-2')).record.expiresAt).toMatch(/^2098-0[12]-/)
  await page.getByRole('button', { name: 'Merge' }).click()
  await page.getByRole('combobox', { name: 'Into the record' }).fill('gus')
  await page.getByRole('option', { name: 'Gus Grissom' }).click()
  expect(await barriers(page)).toEqual([])
  await page.getByRole('button', { name: 'Merge records' }).click()
  await page.getByRole('heading', { name: 'Gus Grissom' }).waitFor()
  await page.getByText('Mercury').waitFor()
  await open('records/gus-2')
  await page.getByText('was merged into this record').waitFor()
  await open('records/gus-2?tab=history')
  await page.getByText('into gus', { exact: true }).waitFor()
})

test('no page called another host, broke its policy or threw', () => {
  expect(browser.problems).toEqual([])
})
