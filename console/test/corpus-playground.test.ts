import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { afterAll, expect, test } from 'vitest'
import { barriers } from './browser.ts'
import type { Call } from './callers.ts'
import { signUpWithColleague } from './colleague.ts'
import { provideBrowser } from './provide-browser.ts'
import { provideService } from './provide-service.ts'

// The playground on a corpus: one of its Brains is hidden from the reader, and one cannot be searched as the corpus says.

let call: Call
let colleague: Awaited<ReturnType<typeof signUpWithColleague>>['colleague']

const service = provideService()
const browser = provideBrowser(
  () => service,
  async () => {
    ;({ call, colleague } = await signUpWithColleague(service, browser, 'offices'))
    for (const [maker, handle, city] of [
      [call, 'north', 'Oslo'],
      [call, 'south', 'Lisbon'],
      [call, 'west', 'Bergen'],
      [colleague.call, 'board', 'Geneva'],
    ] as const) {
      await maker('PUT', `/v1/brains/${handle}`, {})
      const text = `The office in ${city} has a garden.`
      await maker('POST', `/v1/brains/${handle}/documents`, { id: 'office', title: `Office in ${city}`, text })
    }
    await colleague.call('PATCH', '/v1/brains/board/access', { openTo: 'members' })
    const undeclared = { team: 'core' }
    await colleague.call('PUT', '/v1/corpora/offices', {
      parts: [{ brain: 'north' }, { brain: 'board' }, { brain: 'south', where: undeclared }, { brain: 'west' }],
    })
    await colleague.call('PUT', '/v1/corpora/closed', { parts: [{ brain: 'board' }] })
  },
)
afterAll(() => colleague?.browser.close())

const choice = () => browser.page.getByRole('combobox', { name: 'Search in' })
const panel = (name: string) => browser.page.getByRole('region', { name, exact: true })
const field = (name: string) => browser.page.getByRole('searchbox', { name: `Search ${name}` })

test('COR-10 the playground searches a corpus in place of the Brain, and names the parts that it left out', async () => {
  const { page } = browser
  await page.goto('/brains/north/playground?q=garden&asOf=1&panels=query')
  await choice().focus()
  await choice().selectOption('offices')
  await field('offices').waitFor()
  expect(await choice().and(page.locator(':focus')).count()).toBe(1)
  // A corpus has no query and no state: both panels are shown, and no chip promises a state.
  expect(await page.getByRole('checkbox', { name: 'Query' }).count()).toBe(0)
  expect(await page.getByText('as of state').count()).toBe(0)
  for (const name of ['Search', 'Context']) {
    await panel(name).getByRole('link', { name: 'north: Office in Oslo' }).waitFor()
    await panel(name).getByRole('link', { name: 'west: Office in Bergen' }).waitFor()
    await panel(name).getByText('Part 2 was left out').waitFor()
    await panel(name).getByText('Part 3 (south) was left out').waitFor()
    await panel(name).getByText('The operator turned search by meaning off').waitFor()
    expect(
      await panel(name)
        .getByText(/Geneva|board/)
        .count(),
    ).toBe(0)
    expect(await panel(name).getByRole('link', { name: 'west', exact: true }).getAttribute('href')).toMatch(
      /^\/brains\/west\/receipts\//,
    )
  }
  expect(await barriers(page)).toEqual([])
})

test('COR-10 Enter searches again, and the budget of the context can be changed', async () => {
  const { page } = browser
  await call('POST', '/v1/brains/west/documents', { id: 'later', title: 'Greenhouse', text: 'The garden has a roof.' })
  await field('offices').press('Enter')
  await panel('Search').getByRole('link', { name: 'west: Greenhouse' }).waitFor()
  await panel('Context').getByRole('link', { name: 'west: Greenhouse' }).waitFor()
  await panel('Context').getByLabel('Tokens').selectOption('1000')
  await panel('Context')
    .getByText(/\d used · /)
    .waitFor()
  await field('offices').fill('zebra')
  await panel('Search').getByText('Nothing found for “zebra”').waitFor()
  await panel('Search').getByText('Try different or fewer words.').waitFor()
  await page.getByRole('checkbox', { name: 'Context' }).uncheck()
  await panel('Context').waitFor({ state: 'detached' })
})

test('COR-10 the curl of the page reads the corpus with a management key', async () => {
  const { page } = browser
  await page.goto('/brains/north/playground?q=garden&corpus=offices')
  const { secret } = await call('POST', '/v1/keys', { name: 'reader' })
  for (const [name, read] of [
    ['Search', 'results'],
    ['Context', 'items'],
  ] as const) {
    await panel(name).getByText('View as code').click()
    const command = await panel(name).getByRole('tabpanel').textContent()
    const { stdout } = await promisify(execFile)('bash', ['-c', command ?? ''], {
      env: { PATH: process.env.PATH, NOEMA_API_KEY: secret },
    })
    expect(JSON.parse(stdout).data[read]).toMatchObject([{ brain: {} }, { brain: {} }, { brain: {} }])
  }
  await panel('Search').getByRole('tab', { name: 'TypeScript' }).click()
  expect(await panel('Search').getByRole('tabpanel').textContent()).toContain("client.corpora.search('offices', {")
  expect(await barriers(page)).toEqual([])
})

test('COR-10 a corpus of which nothing can be read says so, and the way back to the Brain is there', async () => {
  await browser.page.goto('/brains/north/playground?q=garden&corpus=closed')
  for (const name of ['Search', 'Context']) await panel(name).getByText('No part of this corpus can be read').waitFor()
  expect(await barriers(browser.page)).toEqual([])
  await choice().selectOption('the Brain north')
  await panel('Search').getByRole('link', { name: 'Office in Oslo' }).waitFor()
  await panel('Query').waitFor()
  expect(browser.problems).toEqual([])
})
