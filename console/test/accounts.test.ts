import { expect, test } from 'vitest'
import { mailedLink, startTestApp } from '../../server/src/test/app.ts'
import { barriers, openBrowser } from './browser.ts'
import { provideBrowserPerTest } from './provide-browser.ts'
import { provideService } from './provide-service.ts'
import { password } from './service.ts'

const service = provideService()
const browser = provideBrowserPerTest(() => service)

const fillIn = async (fields: Record<string, string>) => {
  for (const [label, value] of Object.entries(fields)) await browser.page.getByLabel(label).fill(value)
}

const signUp = async (email: string, name = 'Somebody') => {
  await browser.page.goto('/sign-up')
  await fillIn({ Name: name, Email: email, Password: password })
  await browser.page.getByRole('button', { name: 'Create account' }).click()
  await browser.page.getByRole('heading', { name: 'Your first event' }).waitFor()
}

const signOut = async () => {
  await browser.page.getByRole('button', { name: /^Account: / }).click()
  await browser.page.getByRole('menuitem', { name: 'Sign out' }).click()
  // The page reloads by itself.
  await browser.page.waitForURL('**/sign-in')
}

const signIn = async (email: string, secret = password) => {
  await fillIn({ Email: email, Password: secret })
  await browser.page.getByRole('button', { name: 'Sign in' }).click()
}

test('every path of the console returns its page, and other paths return 404', async () => {
  const { page } = browser
  const headings = {
    '/': 'Create your account',
    '/sign-up': 'Create your account',
    '/settings/keys': 'Sign in',
    '/brains/handbook/records': 'Sign in',
    '/brains': 'Sign in',
    '/brains/handbook': 'Sign in',
    '/sign-in': 'Sign in',
    '/forgot-password': 'Set a new password',
    '/reset-password': 'Set a new password',
    '/accept-invitation': 'Invitation',
  }
  for (const [path, heading] of Object.entries(headings)) {
    const response = await page.goto(path)
    expect([path, response?.status()]).toEqual([path, 200])
    await page.getByRole('heading', { name: heading }).waitFor()
  }
  expect((await page.goto('/nothing'))?.status()).toBe(404)
})

test('the pages before the sign-in are accessible', async () => {
  const { page } = browser
  for (const path of ['/sign-in', '/forgot-password', '/reset-password?token=x', '/accept-invitation?id=x']) {
    await page.goto(path)
    await page.locator('h1').waitFor()
    expect([path, await barriers(page)]).toEqual([path, []])
  }
})

test('a sign-in with an unconfirmed address names the location of the link, and sends another', async () => {
  const { page } = browser
  await signUp('unconfirmed@example.com')
  await signOut()
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  await signIn('unconfirmed@example.com')
  await page.getByText('Confirm your address first').waitFor()
  await page.getByText('the link is in the service’s log').waitFor()
  const countMails = () =>
    service.logLines.filter((line) => JSON.parse(line).mail?.to === 'unconfirmed@example.com').length
  const before = countMails()
  await page.getByRole('button', { name: 'Send a new link' }).click()
  await page.getByText('Sent.').waitFor()
  expect(await barriers(page)).toEqual([])
  expect(countMails()).toBe(before + 1)
  await page.goto(mailedLink(service, 'unconfirmed@example.com').href)
  await page.getByText('Your email address is confirmed').waitFor()
  await signIn('unconfirmed@example.com')
  await page.getByText('unconfirmed@example.com, in the organization').waitFor()
  expect(await page.getByText('not confirmed yet').count()).toBe(0)
})

test('a sign-in leads to the requested page, and never to another site', async () => {
  const { page } = browser
  await signUp('returning@example.com')
  await page.goto(mailedLink(service, 'returning@example.com').href)
  await signOut()
  for (const [from, to] of [
    ['/settings/keys', '/settings/keys'],
    ['/sign-in?next=%2F%2Fexample.com', '/'],
    ['/sign-in?next=%2Fbrains', '/brains'],
  ]) {
    await page.goto(from ?? '')
    await signIn('returning@example.com')
    await page.getByRole('button', { name: /^Account: / }).waitFor()
    expect(page.url()).toBe(service.origin + to)
    await signOut()
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  }
})

test('a page with an untrusted origin names that origin and the trusted ones', async () => {
  // Its public address differs from the address in the browser.
  const elsewhere = await startTestApp()
  const { page, problems, close } = await openBrowser(elsewhere.base)
  await page.goto('/sign-in')
  await page.getByText(`Referer was "${elsewhere.base}/sign-in", and trusted are http://noema.test`).waitFor()
  await page.getByText(`add ${elsewhere.base} to NOEMA_TRUSTED_ORIGINS`).waitFor()
  expect(await barriers(page)).toEqual([])
  expect(problems).toEqual([])
  await close()
  await elsewhere.close()
})

test('an invalid confirmation link is explained', async () => {
  const { page } = browser
  await page.goto(`/api/auth/verify-email?token=broken&callbackURL=${encodeURIComponent(`${service.origin}/`)}`)
  await page.getByText('The link did not work').waitFor()
  await page.getByText('is incomplete or was already used').waitFor()
  expect(await barriers(page)).toEqual([])
  await page.getByRole('link', { name: 'Dismiss' }).click()
  expect(page.url()).toBe(`${service.origin}/`)
})

test('a forgotten password is replaced with an emailed link', async () => {
  const { page } = browser
  await signUp('forgetful@example.com')
  await page.goto(mailedLink(service, 'forgetful@example.com').href)
  await page.goto('/forgot-password')
  await fillIn({ Email: 'forgetful@example.com' })
  await page.getByRole('button', { name: 'Send the link' }).click()
  await page.getByText('Check your email').waitFor()
  await page.goto(mailedLink(service, 'forgetful@example.com').href)
  await fillIn({ 'New password': 'another long password' })
  await page.getByRole('button', { name: 'Change password' }).click()
  await page.getByText('Password changed').waitFor()
  expect(await barriers(page)).toEqual([])
  await page.getByRole('link', { name: 'Sign in' }).click()
  await signIn('forgetful@example.com', 'another long password')
  await page.getByRole('heading', { name: 'Your first event' }).waitFor()
})

test('a used password link offers to request another', async () => {
  const { page } = browser
  await page.goto('/reset-password?token=spent')
  await fillIn({ 'New password': 'another long password' })
  await page.getByRole('button', { name: 'Change password' }).click()
  await page.getByRole('alert').getByRole('link', { name: 'Request a new one' }).waitFor()
})

test('an invitation leads a new person into the organization', async () => {
  const { page } = browser
  await signUp('host@example.com', 'Host')
  await page.goto(mailedLink(service, 'host@example.com').href)
  const invite = `fetch('/api/auth/organization/invite-member', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: 'guest@example.com', role: 'member' }),
  }).then((response) => response.status)`
  expect(await page.evaluate(invite)).toBe(200)
  await page.goto('/')
  await signOut()
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  const invitation = mailedLink(service, 'guest@example.com').href
  await page.goto(invitation)
  expect(await barriers(page)).toEqual([])
  await page.getByRole('link', { name: 'Create an account' }).click()
  await fillIn({ Name: 'Guest', Email: 'guest@example.com', Password: password })
  await page.getByRole('button', { name: 'Create account' }).click()
  await page.getByText('Confirm your address first').waitFor()
  expect(await barriers(page)).toEqual([])
  await page.goto(mailedLink(service, 'guest@example.com').href)
  await page.goto(invitation)
  await page.getByText('host@example.com invites you to join Host as member.').waitFor()
  expect(await barriers(page)).toEqual([])
  await page.getByRole('button', { name: 'Join Host' }).click()
  await page.getByText('guest@example.com, in the organization Host').waitFor()
  await page.getByRole('button', { name: 'Organization: Host' }).click()
  await page.getByRole('menuitem', { name: 'Guest' }).click()
  await page.getByText('guest@example.com, in the organization Guest').waitFor()
})
