import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { barriers } from './browser.ts'
import { signUp } from './member.ts'
import { provideBrowser } from './provide-browser.ts'
import { provideOwnService } from './provide-service.ts'

// Web pages on the page of sources, fetched from a real site. The tests build on each other.

const site = createServer((request, response) => {
  const isPage = request.url === '/cassini'
  const status = request.url === '/broken' ? 500 : 404
  if (isPage)
    response.writeHead(200, { 'content-type': 'text/html' }).end('<title>Cassini</title><p>It orbited Saturn.</p>')
  else response.writeHead(status).end()
})
let base = ''
beforeAll(async () => {
  await once(site.listen(0, '127.0.0.1'), 'listening')
  base = `http://127.0.0.1:${(site.address() as AddressInfo).port}`
})
afterAll(() => void site.close())

const service = provideOwnService(async () => ({ NOEMA_WEB_ALLOW: '127.0.0.1:*', NOEMA_WEB_PAUSE_MS: '0' }))
const browser = provideBrowser(
  () => service,
  async () => {
    const headers = await signUp(service, browser, 'web-pages@example.com')
    await service.request('PUT', '/v1/brains/atlas', { headers, body: {} })
  },
)

const dialog = () => browser.page.getByRole('dialog')
const table = () => browser.page.getByRole('table', { name: 'Web pages of missions' })

test('WEB-01 pages are added by their URLs, and their source shows which failed and why', async () => {
  const { page } = browser
  await page.goto('/brains/atlas/sources')
  await page.getByText('No web page yet').waitFor()
  await page.getByRole('button', { name: 'Add web pages' }).click()
  await dialog().getByLabel('URLs').fill('http://10.0.0.1/')
  await dialog().getByLabel('Source').fill('missions')
  await dialog().getByRole('button', { name: 'Add pages' }).click()
  await dialog().getByText('not a public internet address').first().waitFor()
  expect(await barriers(page)).toEqual([])
  await dialog().getByLabel('URLs').fill(`${base}/cassini\n${base}/broken`)
  await dialog().getByRole('button', { name: 'Add pages' }).click()
  await page.getByRole('table', { name: 'Web sources' }).getByRole('link', { name: 'missions' }).click()
  await table().getByRole('link', { name: 'Cassini' }).waitFor()
  await page.getByText('status 500').waitFor()
  await table().locator('[data-status=failing]').waitFor()
  expect(await barriers(page)).toEqual([])
})

test('WEB-02 a source is refreshed, a page is removed, and the source deleted, after a question', async () => {
  const { page } = browser
  await page.getByRole('button', { name: 'Refresh now' }).click()
  await table()
    .getByRole('row', { name: /broken/ })
    .getByRole('button', { name: 'Remove' })
    .click()
  await dialog().getByRole('button', { name: 'Remove page' }).click()
  await page.getByText('status 500').waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Delete' }).click()
  await dialog().getByRole('button', { name: 'Delete source' }).click()
  await page.getByText('No web page yet').waitFor()
  await page.getByRole('link', { name: 'missions' }).waitFor()
})
