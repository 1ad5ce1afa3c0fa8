import { expect, test } from 'vitest'
import { mailedLink } from '../../server/src/test/app.ts'
import { barriers } from './browser.ts'
import { type Call, createCaller } from './callers.ts'
import { signUp } from './member.ts'
import { provideBrowser } from './provide-browser.ts'
import { provideService } from './provide-service.ts'
import { password } from './service.ts'

// A session that ends while pages are open, and one that is too old for an act. The tests build on each other.

let call: Call
let cookie: string

const service = provideService()
const browser = provideBrowser(
  () => service,
  async () => {
    const headers = await signUp(service, browser, 'signed-out@example.com')
    // Only a confirmed address can sign in with its password.
    await browser.page.context().request.get(mailedLink(service, 'signed-out@example.com').href)
    cookie = headers.cookie
    call = createCaller(service, headers)
    await call('PUT', '/v1/brains/library', {})
  },
)

test('a session that ends asks to sign in again, and keeps the page with what was typed, even in a dialog', async () => {
  const { page } = browser
  await page.goto('/agents')
  await page.getByRole('button', { name: 'New agent' }).first().click()
  const form = page.getByRole('dialog', { name: 'New agent' })
  await form.getByLabel('Name').fill('Librarian')
  await service.request('POST', '/api/auth/sign-out', { headers: { origin: service.origin, cookie }, body: {} })
  await form.getByRole('button', { name: 'Create agent' }).click()
  const asked = page.getByRole('dialog', { name: 'You are signed out' })
  await asked.getByText('Sign in as signed-out@example.com to go on.').waitFor()
  expect(await barriers(page)).toEqual([])
  await asked.getByLabel('Your password').fill('not my password')
  await asked.getByRole('button', { name: 'Sign in', exact: true }).click()
  await asked.getByRole('alert').waitFor()
  await asked.getByLabel('Your password').fill(password)
  await asked.getByRole('button', { name: 'Sign in', exact: true }).click()
  await asked.waitFor({ state: 'detached' })
  expect(await form.getByLabel('Name').inputValue()).toBe('Librarian')
  await form.getByRole('button', { name: 'Create agent' }).click()
  await page.waitForURL('**/agents/*')
  await page.getByRole('heading', { name: 'Librarian' }).waitFor()
})

test('a session that is too old to show the sessions asks for the password in place', async () => {
  const { page } = browser
  await service.database.pool.query(
    `update session set "createdAt" = now() - interval '1 hour'
      where "userId" = (select id from "user" where email = 'signed-out@example.com')`,
  )
  await page.goto('/account')
  const panel = page.getByRole('region', { name: 'Sessions' })
  await panel.getByText('To see your sessions, sign in again').waitFor()
  expect(await barriers(page)).toEqual([])
  await panel.getByLabel('Your password').fill(password)
  await panel.getByRole('button', { name: 'Sign in', exact: true }).click()
  await panel.getByText('Current').waitFor()
  expect(browser.problems).toEqual([])
})
