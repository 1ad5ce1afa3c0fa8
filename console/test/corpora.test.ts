import { expect, test } from 'vitest'
import { barriers } from './browser.ts'
import { provideBrowser } from './provide-browser.ts'
import { provideService } from './provide-service.ts'
import { signUpOnPage } from './signed-in.ts'

// The playground with a corpus.

const service = provideService()
const browser = provideBrowser(() => service)

test('COR-10 the playground searches a corpus in place of the Brain, and each result names its Brain', async () => {
  const { page } = browser
  const owner = await signUpOnPage(browser, service, 'corpora@example.com')
  await owner('PUT', '/v1/brains/handbook', {})
  await owner('PUT', '/v1/brains/tickets', {})
  const ticket = { id: 'ticket', title: 'Ticket', text: 'The quokka ate the cable.' }
  await owner('POST', '/v1/brains/tickets/documents', ticket)
  await owner('PUT', '/v1/corpora/support', { parts: [{ brain: 'handbook' }, { brain: 'tickets' }] })
  await page.goto('/brains/handbook/playground?q=quokka+cable&corpus=support')
  await page.getByRole('link', { name: 'tickets: Ticket' }).first().waitFor()
  expect(await page.getByRole('combobox', { name: 'Search in' }).inputValue()).toBe('support')
  await page.getByRole('link', { name: 'handbook', exact: true }).first().waitFor()
  expect(await barriers(page)).toEqual([])
  await page.getByRole('combobox', { name: 'Search in' }).selectOption('')
  await page.getByRole('searchbox', { name: 'Search handbook' }).waitFor()
  expect(new URL(page.url()).searchParams.has('corpus')).toBe(false)
})
