import type { Route } from 'playwright-core'
import { expect, test } from 'vitest'
import { barriers } from './browser.ts'
import { signUp } from './member.ts'
import { provideBrowser } from './provide-browser.ts'
import { provideService } from './provide-service.ts'

// Addresses that lead nowhere, files that do not arrive, and a service that does not answer.

const service = provideService()
const browser = provideBrowser(
  () => service,
  async () => {
    // A page that is not found is a 404, which Chromium reports as an error of the console, not of the page.
    await browser.page.goto('/nowhere')
    await browser.page.getByRole('heading', { name: 'Page not found' }).waitFor()
    await signUp(service, browser, 'reach@example.com')
  },
)

const line = () => browser.page.getByText(/Cannot reach the server|You are offline/)

/** Counts the loads of documents, so that a reload shows. */
const countLoads = () => {
  let loads = 0
  browser.page.on('request', (request) => {
    if (request.isNavigationRequest() && request.frame() === browser.page.mainFrame()) loads++
  })
  return () => loads
}

test('a mistyped address has a page that names it and leads on', async () => {
  const { page } = browser
  const response = await page.goto('/recrods')
  expect(response?.status()).toBe(404)
  expect(response?.headers()['content-type']).toContain('text/html')
  await page.getByText('There is no page at /recrods').waitFor()
  expect(await page.title()).toContain('Not found')
  expect(await barriers(page)).toEqual([])
  await page.getByRole('link', { name: 'Go to the home page' }).click()
  await page.waitForURL((url) => url.pathname === '/')
})

test('a view whose files do not arrive while the service restarts opens by itself, with its styles', async () => {
  const { page } = browser
  await page.goto('/brains')
  await page.getByRole('heading', { name: 'Brains', exact: true }).waitFor()
  const loads = countLoads()
  const cut = (route: Route) => route.abort()
  await page.route('**/*', cut)
  await page.getByRole('link', { name: 'Runs', exact: true }).click()
  await line().waitFor()
  await page.unroute('**/*', cut)
  await page.getByRole('heading', { name: 'Runs', exact: true }).waitFor()
  await line().waitFor({ state: 'detached' })
  const missing = `[...document.querySelectorAll('link[rel=stylesheet]')].filter(({ sheet }) => sheet === null).map(({ href }) => href)`
  expect(await page.evaluate(missing)).toEqual([])
  expect(loads()).toBe(0)
})

test('a page of an old build reloads once to get the files of the new one, and never in a loop', async () => {
  const { page } = browser
  await page.goto('/brains')
  await page.getByRole('heading', { name: 'Brains', exact: true }).waitFor()
  const loads = countLoads()
  // The new build has none of the old files, and its page names another first script. The frame's own files may still be loading, so
  // only those of the view are lost.
  const lost = '**/assets/automations-*'
  const lose = (route: Route) => route.fulfill({ status: 404 })
  await page.route(lost, lose)
  const rename = async (route: Route) => {
    const response = await route.fetch()
    await route.fulfill({ response, body: (await response.text()).replace(/index-[\w-]+\.js/, 'index-another.js') })
  }
  await page.route((url) => url.pathname === '/', rename)
  await page.getByRole('link', { name: 'Automations', exact: true }).click()
  await page.getByText('The console was updated').waitFor()
  expect(loads()).toBe(1)
  await page.unrouteAll({ behavior: 'wait' })
  await page.getByRole('button', { name: 'Reload' }).click()
  await page.getByRole('heading', { name: 'Automations', exact: true }).waitFor()
})

test('one line says that the browser is offline, until it is not', async () => {
  const { page } = browser
  await page.goto('/brains')
  await page.getByRole('heading', { name: 'Brains', exact: true }).waitFor()
  await page.context().setOffline(true)
  await page.getByText('You are offline').waitFor()
  expect(await barriers(page)).toEqual([])
  await page.context().setOffline(false)
  await line().waitFor({ state: 'detached' })
})
