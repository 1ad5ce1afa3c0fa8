import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { type Browser, barriers } from './browser.ts'
import { provideBrowser } from './provide-browser.ts'
import { provideService } from './provide-service.ts'
import { signUpOnPage } from './signed-in.ts'

// The search of a Brain. The tests build on each other.

let secret: string

const service = provideService()
const browser = provideBrowser(() => service)

const brainPath = '/v1/brains/handbook'

const call = async (method: string, path: string, body?: unknown) => {
  const answer = await service.request(method, brainPath + path, { key: secret, body })
  expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300)
  return answer.body.data
}

const field = () => browser.page.getByRole('searchbox', { name: 'Search handbook' })
const status = () => browser.page.locator('.results-head [role=status]').textContent()
/** The search parameters of the URL, without the choice of panels. */
const readQuery = (page: Browser['page']) => {
  const { panels: _panels, ...asked } = Object.fromEntries(new URL(page.url()).searchParams)
  return asked
}
const results = () => browser.page.locator('.hit')
const openBrain = async () => {
  const { page } = browser
  await page.getByRole('link', { name: 'Brains', exact: true }).first().click()
  await page.getByRole('link', { name: 'handbook' }).click()
  await page.getByRole('link', { name: 'Playground', exact: true }).click()
  await page.getByRole('checkbox', { name: 'Query' }).uncheck()
  await page.getByRole('checkbox', { name: 'Context' }).uncheck()
  await field().focus()
}
/** The highlighted texts on the page. */
const marked = () => browser.page.locator('mark').allTextContents()

/** Collects every text of the live region during an action. */
const heard = (page: Browser['page']) =>
  page.evaluate(`window.heard = []; new MutationObserver(() =>
    window.heard.push(document.querySelector('.results-head [role=status]').textContent)
  ).observe(document.querySelector('.results-head'), { childList: true, subtree: true, characterData: true })`)

test('an empty Brain says how to fill it', async () => {
  const { page } = browser
  await signUpOnPage(browser, service, 'search@example.com')
  await page.getByRole('button', { name: 'Create Brain' }).click()
  await page.getByRole('button', { name: 'Mint key' }).click()
  secret = (await page.getByTestId('secret').textContent()) ?? ''
  await openBrain()
  await page.getByText('npx noema sync ./docs --brain handbook', { exact: true }).waitFor()
  expect(await barriers(page)).toEqual([])
})

test('a pause starts a search: words are highlighted as text, and each result shows its type and the reason', async () => {
  const { page } = browser
  await call('POST', '/batch', {
    operations: [
      { op: 'record.put', id: 'ada', kind: 'person', fields: { name: 'Ada', about: 'keeps the harbour log' } },
      {
        op: 'statement.assert',
        subject: { id: 'ada', kind: 'person' },
        predicate: 'is responsible for',
        object: { value: 'the harbour' },
        provenance: { source: 'a letter', trust: 'unverified' },
      },
      {
        op: 'document.put',
        id: 'wiki/harbour.md',
        title: 'Harbour',
        text: `${'Nothing of note happens here.\n\n'.repeat(80)}The <b>harbour</b> 🚢 is closed in winter.`,
      },
    ],
  })
  await field().fill('winter')
  await expect.poll(status).toBe('1 result')
  expect(readQuery(page)).toEqual({ q: 'winter' })
  await field().fill('winter harbour')
  await expect.poll(status).toBe('3 results')
  expect(await results().locator('b').count()).toBe(0)
  const document = results().filter({ hasText: 'closed in' })
  expect(await document.locator('mark').allTextContents()).toEqual(['harbour', 'winter'])
  const lines = await document.locator('.hit-about').allTextContents()
  expect(lines).toEqual([
    expect.stringMatching(/^documentversion 1Strong evidencescore \d\.\d{3}$/),
    'Found by the words harbour, winter',
  ])
  const statement = await results().filter({ hasText: 'responsible' }).locator('.hit-about').allTextContents()
  expect(statement.join()).toContain('Source: a letterunverified')
  await page.getByText('turned search by meaning off').waitFor()
  expect(await barriers(page)).toEqual([])
})

test('a question without an answer differs from one with an answer, in a sentence and in each result', async () => {
  const { page } = browser
  const judgement = () => page.locator('.judgement').textContent()
  await field().fill('what does the customs office of Portugal pay a diver in winter')
  await expect.poll(judgement).toBe('No result seems to answer your query. These are the closest ones.')
  expect(await results().locator('.evidence').allTextContents()).toEqual(['No evidence'])
  expect(await barriers(page)).toEqual([])
  await field().fill('a diver in winter')
  await expect.poll(judgement).toBe('The evidence is weak: these results may not answer your query.')
  expect(await barriers(page)).toEqual([])
  await field().fill('winter harbour')
  await expect.poll(status).toBe('3 results')
  expect(await judgement()).toBe('')
})

test('the curl of the page finds the same', async () => {
  const { page } = browser
  await page.getByRole('region', { name: 'Search' }).getByText('View as code').click()
  const command = await page.getByRole('tabpanel').textContent()
  const { stdout } = await promisify(execFile)('bash', ['-c', command ?? ''], {
    env: { PATH: process.env.PATH, NOEMA_API_KEY: secret },
  })
  expect(JSON.parse(stdout).data.results).toHaveLength(3)
})

test('continued typing is one step of the history, and a step back restores field and results', async () => {
  const { page } = browser
  await page.goBack()
  await expect.poll(async () => [await field().inputValue(), await results().count()]).toEqual(['', 0])
  await page.goForward()
  await expect.poll(async () => [await field().inputValue(), await results().count()]).toEqual(['winter harbour', 3])
})

test('filters narrow a search, are shown, and are removed one by one, which keeps the typed text', async () => {
  const { page } = browser
  await page.getByText('Filters', { exact: true }).click()
  await page.getByText('Words', { exact: true }).click()
  await page.getByLabel('Documents').check()
  await expect.poll(status).toBe('1 result')
  expect(readQuery(page)).toEqual({ q: 'winter harbour', mode: 'lexical', types: 'document' })
  expect(await barriers(page)).toEqual([])
  await page.getByRole('button', { name: 'Remove the filter: documents' }).click()
  await expect.poll(() => page.evaluate('document.activeElement.name')).toBe('q')
  await expect.poll(status).toBe('3 results')
  await page.getByLabel('Kinds').fill('company')
  await expect.poll(status).toBe('Nothing found for “winter harbour”')
  expect(await barriers(page)).toEqual([])
  await page.getByRole('link', { name: 'Search everything' }).click()
  await expect.poll(status).toBe('3 results')
  expect(readQuery(page)).toEqual({ q: 'winter harbour' })
  expect(await page.getByLabel('Kinds').inputValue()).toBe('')
  await page.getByLabel('Source', { exact: true }).fill('a letter')
  await page.getByRole('button', { name: 'Remove the filter: source a letter' }).click()
  await page.getByLabel('Kinds').fill('person')
  await page.getByRole('button', { name: 'Remove the filter: kind person' }).waitFor()
  await page.evaluate(`{
    const field = document.querySelector('input[name=q]')
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set.call(field, 'winter')
    field.dispatchEvent(new Event('input', { bubbles: true }))
    document.querySelector('.chip').click()
  }`)
  await expect.poll(() => readQuery(page)).toEqual({ q: 'winter' })
  await field().fill('winter harbour')
})

test('a future state is refused with the message of the service, and the search works after it', async () => {
  const { page } = browser
  await page.getByLabel('As of state').fill('99')
  await page.getByRole('alert').getByText('asOf=99 is ahead of this Brain').waitFor()
  expect(await barriers(page)).toEqual([])
  await page.getByLabel('As of state').fill('0')
  await expect.poll(status).toBe('Nothing found for “winter harbour”')
  await page.getByLabel('As of state').fill('')
  await expect.poll(status).toBe('3 results')
})

test('a late response to an older query is dropped, and the previous results stay until the new ones', async () => {
  const { page } = browser
  await heard(page)
  const held: (() => void)[] = []
  await page.route(/q=letter/, async (route) => {
    await new Promise<void>((resolve) => held.push(resolve))
    await route.continue().catch(() => {})
  })
  await field().fill('letter')
  await expect.poll(() => held.length).toBe(1)
  expect(await results().count()).toBe(3)
  await field().fill('winter')
  await expect.poll(status).toBe('1 result')
  for (const release of held) release()
  await field().fill('keeps')
  await expect.poll(() => results().first().textContent()).toContain('Ada')
  expect(await page.evaluate('window.heard')).not.toContain('')
  expect(await page.evaluate('window.heard')).not.toContain('Nothing found for “letter”')
})

test('a result opens at the searched state, a document at the found range, and going back restores the list', async () => {
  const { page } = browser
  await field().fill('winter harbour')
  await page.keyboard.press('Enter')
  await expect.poll(status).toBe('3 results')
  const receipts = (await call('GET', '/receipts')).receipts.length
  await results().getByRole('link', { name: 'Harbour', exact: true }).click()
  await page.locator('pre mark').waitFor()
  expect((await marked()).join()).toContain('harbour</b> 🚢 is closed in winter.')
  await expect.poll(() => page.locator('mark').evaluate((mark) => mark.getBoundingClientRect().top)).toBeLessThan(900)
  await expect.poll(() => page.evaluate('document.activeElement.id')).toBe('main')
  expect(await barriers(page)).toEqual([])
  await page.goBack()
  await expect.poll(status).toBe('3 results')
  expect((await call('GET', '/receipts')).receipts).toHaveLength(receipts)
})

test('the receipt of a search shows the changes since, and links to both versions', async () => {
  const { page } = browser
  await call('POST', '/documents', { id: 'wiki/harbour.md', title: 'Harbour', text: 'The harbour is open all year.' })
  await call('DELETE', '/records/ada')
  await page.getByRole('link', { name: 'Receipt', exact: true }).click()
  await page.getByText('3 changed').waitFor()
  expect(await barriers(page)).toEqual([])
  await page.getByRole('link', { name: 'version 2' }).click()
  await page.getByText('The harbour is open all year.').waitFor()
  await page.goBack()
  await page.getByRole('link', { name: 'Harbour', exact: true }).click()
  await page.getByText('It has changed since').waitFor()
  expect(await page.locator('pre').first().textContent()).toContain('is closed in winter.')
  await page.goBack()
  await page.getByRole('link', { name: 'Ada', exact: true }).click()
  await page.getByText('It is no longer current').waitFor()
  expect(await barriers(page)).toEqual([])
})

test('an item links to the receipts of its readers, and a reader to those of its reads', async () => {
  const { page } = browser
  await page.getByRole('link', { name: 'Readers' }).click()
  await page.getByRole('link', { name: 'noema-console' }).first().click()
  await page.getByText('search', { exact: true }).waitFor()
  expect(await barriers(page)).toEqual([])
  await call('GET', '/search?q=harbour&consumerId=support-agent')
  await page.getByRole('link', { name: 'Overview', exact: true }).click()
  await page.getByRole('link', { name: 'support-agent' }).click()
  await page.getByText('Reads by support-agent').waitFor()
  const rows = page.getByRole('table', { name: 'Receipts' }).locator('tr[data-row]')
  await expect.poll(() => rows.getByRole('link').allTextContents()).toEqual(['support-agent'])
  await page.getByRole('link', { name: 'Documents', exact: true }).click()
  await page.getByRole('link', { name: 'Harbour' }).click()
  await page.getByRole('heading', { name: 'Harbour' }).waitFor()
})

test('a shared search runs at once, also at the old URL', async () => {
  const { page } = browser
  await page.goto('/brains/handbook?q=closed&asOf=1&types=document')
  await page.getByText('1 result', { exact: true }).waitFor()
  await expect.poll(status).toBe('1 result')
  expect(await field().inputValue()).toBe('closed')
  await expect.poll(() => page.evaluate('document.activeElement.name')).toBe('q')
  await page.getByRole('button', { name: 'as of state 1' }).waitFor()
})

test('a record shows its links in both directions, and each can be followed', async () => {
  const { page } = browser
  const link = (to: string, predicate: string) => ({ predicate, to })
  const kind = { op: 'record.put', kind: 'person' }
  await call('POST', '/batch', {
    operations: [
      { ...kind, id: 'hub', links: [link('nowhere', 'awaits')] },
      ...Array.from({ length: 51 }, (_, number) => ({
        ...kind,
        id: `one-${number + 10}`,
        links: [link('hub', 'follows')],
      })),
      {
        op: 'statement.assert',
        subject: { id: 'one-10', kind: 'person' },
        predicate: 'reports to',
        object: { record: { id: 'hub', kind: 'person' } },
      },
    ],
  })
  await page.goto('/brains/handbook?tab=record&id=hub')
  const neighbours = page.getByRole('region', { name: 'Relations' })
  await neighbours.getByRole('link', { name: 'reports to' }).waitFor()
  await neighbours.getByRole('heading', { name: 'Linked from' }).waitFor()
  expect(await neighbours.getByRole('link').allTextContents()).toEqual([
    'nowhere',
    ...Array.from({ length: 50 }, (_, number) => `one-${number + 10}`),
    ...['All records that link to it', 'one-10', 'reports to'],
  ])
  expect(await barriers(page)).toEqual([])
  await neighbours.getByRole('link', { name: 'All records that link to it' }).click()
  await page.getByText('Linking to hub').waitFor()
  expect(readQuery(page)).toEqual({ linksTo: 'hub' })
  await page.goBack()
  await neighbours.getByRole('link', { name: 'one-11', exact: true }).click()
  await neighbours.getByRole('link', { name: 'hub', exact: true }).click()
  await page.getByRole('heading', { name: 'hub', exact: true }).waitFor()
})

test('no page called another host, broke its policy or threw', () => {
  expect(browser.problems).toEqual([])
})
