import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestApp } from '../../server/src/test/app.ts'
import { whyNot } from './browser.ts'
import { provideBrowser } from './provide-browser.ts'

// A web app on its own origin that uses the service's accounts and Brains, in a real browser.

const pages = createServer((_request, response) => {
  response.setHeader('content-type', 'text/html')
  response.end('<!doctype html><title>An app</title>')
})

let service: Awaited<ReturnType<typeof startTestApp>>
let origin: string

beforeAll(async () => {
  if (whyNot()) return
  await new Promise<void>((resolve) => pages.listen(0, '127.0.0.1', resolve))
  origin = `http://127.0.0.1:${(pages.address() as AddressInfo).port}`
  service = await startTestApp({ NOEMA_APP_ORIGIN: origin })
})

afterAll(async () => {
  pages.closeAllConnections()
  pages.close()
  await service?.close()
})

const browser = provideBrowser(() => ({ origin }))

/** Runs in the page, as an app's own code would. Returns the responses that it could read. */
const callService = async ({ base, email }: { base: string; email: string }) => {
  const send = async (method: string, path: string, headers: Record<string, string>, body?: unknown) => {
    const response = await fetch(base + path, {
      method,
      credentials: 'include',
      headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    // biome-ignore lint/suspicious/noExplicitAny: a test reads the values that it expects, and fails if they are missing
    const parsed: any = await response.json()
    return { status: response.status, id: response.headers.get('x-request-id'), body: parsed }
  }
  const account = { email, password: 'correct horse battery', name: 'Ada' }
  const signedUp = await send('POST', '/api/auth/sign-up/email', {}, account)
  const me = await send('GET', '/v1/whoami', {})
  const session = { 'x-organization-id': me.body.data.organizations[0].id }
  const minted = await send('POST', '/v1/keys', session, { name: 'app' })
  const key = { authorization: `Bearer ${minted.body.data.secret}` }
  const made = await send('PUT', '/v1/brains/app', key, {})
  await send('POST', '/v1/brains/app/records', session, { kind: 'person' })
  const events = await send('GET', '/v1/brains/app/events', key)
  const missing = await send('GET', '/v1/brains/none', key)
  const statuses = [signedUp, me, minted, made, events, missing].map(({ status }) => status)
  return { statuses, types: events.body.data.events.map(({ type }: { type: string }) => type), id: missing.id }
}

test('D-13c a page of the app origin signs up, mints a key and reads events in a real browser', async () => {
  await browser.page.goto('/')
  const read = await browser.page.evaluate(callService, { base: service.base, email: 'ada@example.com' })
  expect(read.statuses).toEqual([200, 200, 201, 201, 200, 404])
  expect(read.types).toEqual(['record.accepted'])
  expect(read.id).not.toBeNull()
})

test('D-13c a page of another origin of the same machine reads nothing, signed in or not', async () => {
  await browser.page.goto('/')
  await browser.page.evaluate(callService, { base: service.base, email: 'eve@example.com' })
  await browser.page.goto(origin.replace('127.0.0.1', 'localhost'))
  const read = browser.page.evaluate(
    (base) => fetch(`${base}/v1/whoami`, { credentials: 'include' }).then(({ status }) => status, String),
    service.base,
  )
  expect(await read).toContain('Failed to fetch')
})
