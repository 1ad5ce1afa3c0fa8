import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createProvider, finishAuthorization, listToolsAt } from '../../server/src/test/oauth-client.ts'
import { barriers } from './browser.ts'
import { createPerson } from './people.ts'
import { provideBrowser } from './provide-browser.ts'
import { provideService } from './provide-service.ts'
import { password } from './service.ts'

// An app is connected by pasting an address: the official client of the protocol, and a person who signs in and consents.

/** The place of the app on this machine that the browser comes back to. */
const createCallback = async () => {
  const answers: URLSearchParams[] = []
  const server = createServer((request, response) => {
    if (request.url?.startsWith('/callback')) answers.push(new URL(request.url, 'http://localhost').searchParams)
    response.setHeader('content-type', 'text/html').end('<title>Back</title><p>You are back in the app.</p>')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { answers, origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => server.close() }
}

let callback: Awaited<ReturnType<typeof createCallback>>
beforeAll(async () => {
  callback = await createCallback()
})
afterAll(() => callback.close())

const service = provideService()
const browser = provideBrowser(
  () => ({ origin: service.origin, others: [callback.origin] }),
  async () => {
    const { cookie } = await createPerson(service, 'connecting@example.com')
    const headers = { origin: service.origin, cookie }
    const { organizations } = (await service.request('GET', '/v1/whoami', { headers })).body.data
    const own = { ...headers, 'x-organization-id': organizations[0].id }
    await service.request('PUT', '/v1/brains/atlas', { headers: own, body: {} })
  },
)

const address = () => `${service.origin}/v1/brains/atlas/mcp`
const connect = (provider: ReturnType<typeof createProvider>['provider']) => listToolsAt(address(), provider)

/** Pastes the address into the client, and opens the page that it leads to. */
const ask = async () => {
  const { kept, provider } = createProvider(`${callback.origin}/callback`)
  await expect(connect(provider)).rejects.toThrow()
  return { provider, asked: String(kept.asked) }
}

test('APP-02 an app is connected by its address: sign in, consent, and it has what was chosen; then it is narrowed and revoked', async () => {
  const { page } = browser
  const { provider, asked } = await ask()
  await page.goto(asked)
  await page.getByLabel('Email').fill('connecting@example.com')
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByText('a program on this computer').waitFor()
  await page.getByText('Brain atlas').waitFor()
  expect(await page.getByRole('checkbox', { name: /^Review/ }).isChecked()).toBe(false)
  expect(await barriers(page)).toEqual([])
  await page.getByLabel('For how long').selectOption('7 days')
  await page.getByRole('button', { name: 'Let it in' }).click()
  await page.getByText('You are back in the app.').waitFor()
  await finishAuthorization(address(), provider, callback.answers.at(-1) ?? new URLSearchParams())
  expect(await connect(provider)).toEqual(expect.arrayContaining(['knowledge_search', 'knowledge_write']))

  await page.goto('/settings/apps')
  const row = page.getByRole('table', { name: 'Apps' }).getByRole('row', { name: /The official client/ })
  await row.getByText('127.0.0.1').waitFor()
  expect(await barriers(page)).toEqual([])
  const act = async (name: string) => {
    await row.getByRole('button', { name: 'Actions for The official client' }).click()
    await page.getByRole('menuitem', { name, exact: true }).click()
  }
  await act('Narrow')
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('checkbox', { name: 'write' }).uncheck()
  expect(await barriers(page)).toEqual([])
  await dialog.getByRole('button', { name: 'Keep only these' }).click()
  await dialog.waitFor({ state: 'detached' })
  expect(await connect(provider)).not.toContain('knowledge_write')
  await act('Revoke')
  await dialog.getByRole('button', { name: 'Revoke access' }).click()
  await row.getByText('revoked').waitFor()
  await expect(connect(provider)).rejects.toThrow()
})

test('APP-07 a person refuses an app, starts again after a page that was not theirs, and sees why an app cannot be connected', async () => {
  const { page } = browser
  const { asked } = await ask()
  await page.goto(asked)
  await page.getByRole('button', { name: 'Cancel' }).waitFor()
  const shown = page.url()
  await page.goto(shown.replace(/sig=[^&]*/, 'sig=forged'))
  await page.getByRole('link', { name: 'Start again' }).click()
  await page.getByRole('button', { name: 'Cancel' }).click()
  await page.getByText('You are back in the app.').waitFor()
  expect(callback.answers.at(-1)?.get('error')).toBe('access_denied')
  await page.goto(asked.replace(/client_id=[^&]*/, 'client_id=unknown'))
  await page.getByText('This app cannot be connected').waitFor()
  expect(await barriers(page)).toEqual([])
})
