import { expect, test } from 'vitest'
import { barriers } from './browser.ts'
import type { Call } from './callers.ts'
import { provideBrowser } from './provide-browser.ts'
import { provideService } from './provide-service.ts'
import { signUpOnPage } from './signed-in.ts'

// The corpora of an organization. The tests build on each other.

let call: Call

const service = provideService()
const browser = provideBrowser(
  () => service,
  async () => {
    call = await signUpOnPage(browser, service, 'corpora@example.com')
    for (const [handle, city] of [
      ['north', 'Oslo'],
      ['south', 'Lisbon'],
    ] as const) {
      await call('PUT', `/v1/brains/${handle}`, {})
      await call('POST', `/v1/brains/${handle}/documents`, {
        id: 'office',
        text: `The office in ${city} has a garden.`,
      })
    }
  },
)
const dialog = (name: string) => browser.page.getByRole('dialog', { name, exact: true })

test('COR-11 a corpus is made in the console from Brains and parts of them', async () => {
  const { page } = browser
  await page.goto('/settings/corpora')
  await page.getByText('No corpora yet').waitFor()
  expect(await barriers(page)).toEqual([])
  await page.getByRole('button', { name: 'New corpus' }).first().click()
  const form = dialog('New corpus')
  await form.getByLabel('Name').fill('offices')
  await form.getByRole('button', { name: 'Create corpus' }).click()
  await form.getByText('Add a Brain.').waitFor()
  for (const _ of ['north', 'south']) await form.getByRole('button', { name: 'Add a Brain' }).click()
  await form.getByLabel('Sources of south').fill('wiki, mail')
  await form.getByRole('checkbox', { name: 'Only documents' }).first().check()
  expect(await barriers(page)).toEqual([])
  await form.getByRole('button', { name: 'Create corpus' }).click()
  await page.getByRole('table', { name: 'Corpora' }).getByRole('link', { name: 'offices' }).waitFor()
  const { corpus } = await call('GET', '/v1/corpora/offices')
  const parts = corpus.parts.toSorted((one: { brain: string }, other: { brain: string }) =>
    one.brain.localeCompare(other.brain),
  )
  expect(parts).toEqual([
    { brain: 'north', ...(parts[0].types && { types: ['document'] }) },
    { brain: 'south', sources: ['wiki', 'mail'], ...(parts[1].types && { types: ['document'] }) },
  ])
  expect([parts[0].types, parts[1].types].filter(Boolean)).toHaveLength(1)
})

test('COR-11 it is edited, and searched in all its Brains', async () => {
  const { page } = browser
  await page.goto('/settings/corpora?corpus=offices')
  await page.getByRole('button', { name: 'Edit' }).click()
  const form = dialog('Edit offices')
  await form.getByLabel('Sources of south').fill('')
  await form.getByRole('button', { name: 'Save' }).click()
  await form.waitFor({ state: 'hidden' })
  await page.getByRole('searchbox', { name: 'Search in offices' }).fill('garden')
  const results = page.getByRole('region', { name: 'Search' })
  await results.getByText(/^north: /).waitFor()
  await results.getByText(/^south: /).waitFor()
  expect(await barriers(page)).toEqual([])
})

test('COR-11 an agent is given the corpus, and shows it', async () => {
  const { page } = browser
  await page.goto('/agents')
  await page.getByRole('button', { name: 'New agent' }).first().click()
  const form = dialog('New agent')
  await form.getByLabel('Name').fill('Reader')
  await form.getByLabel('Instructions').fill('Answer from the corpus.')
  await form.getByRole('checkbox', { name: 'offices' }).check()
  await form.getByRole('checkbox', { name: 'Can read files (artifact_read)' }).check()
  await form.getByRole('button', { name: 'Create agent' }).click()
  await page.getByRole('link', { name: 'offices' }).waitFor()
  await page.getByText('reads files').waitFor()
  const { agents } = await call('GET', '/v1/agents')
  expect(agents[0]).toMatchObject({ corpora: ['offices'], tools: ['artifact_read'] })
})

test('COR-11 a part that the person cannot read is named before a save removes it, and a corpus is deleted', async () => {
  const { page } = browser
  await call('DELETE', '/v1/brains/south')
  await page.goto('/settings/corpora?corpus=offices')
  await page.getByText('A Brain that was deleted or that you cannot read').waitFor()
  await page.getByRole('button', { name: 'Edit' }).click()
  await dialog('Edit offices').getByText('Saving removes it.').waitFor()
  await dialog('Edit offices').getByRole('button', { name: 'Save' }).click()
  await dialog('Edit offices').waitFor({ state: 'hidden' })
  expect((await call('GET', '/v1/corpora/offices')).corpus.parts).toHaveLength(1)
  await page.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('button', { name: 'Delete corpus' }).click()
  await page.getByText('No corpora yet').waitFor()
  expect((await call('GET', '/v1/corpora')).corpora).toEqual([])
})
