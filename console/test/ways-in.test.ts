import { afterAll, expect, test } from 'vitest'
import { startOpenIdProvider } from '../../server/src/test/openid-provider.ts'
import { toNextCode, toWrongCode } from '../../server/src/test/totp.ts'
import { barriers } from './browser.ts'
import { createGuarded } from './people.ts'
import { provideBrowserPerTest } from './provide-browser.ts'
import { provideOwnService } from './provide-service.ts'
import { password } from './service.ts'

// Sign-in with a provider and with a two-factor code.

let provider: Awaited<ReturnType<typeof startOpenIdProvider>>

const service = provideOwnService(async (origin) => {
  provider = await startOpenIdProvider({ redirectTo: origin })
  return provider.settings
})
const browser = provideBrowserPerTest(() => ({ origin: service.origin, others: [provider.issuer] }))

afterAll(() => provider?.close())

const signIn = async (email: string) => {
  const { page } = browser
  await page.goto('/sign-in')
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}

const isSignedIn = () => browser.page.getByRole('button', { name: /^Account/ }).waitFor()

const signOut = async () => {
  await browser.page.getByRole('button', { name: /^Account/ }).click()
  await browser.page.getByRole('menuitem', { name: 'Sign out' }).click()
  // The page reloads by itself.
  await browser.page.waitForURL('**/sign-in')
}

/** Fills in the provider's own pages. */
const passProvider = async (login: string) => {
  const { page } = browser
  await page.waitForURL(`${provider.issuer}/interaction/**`)
  await page.locator('input[name=login]').fill(login)
  await page.locator('input[name=password]').fill('any')
  await page.locator('button[type=submit]').click()
  await page.locator('input[name=prompt][value=consent]').waitFor({ state: 'attached' })
  await page.locator('button[type=submit]').click()
}

test('AUT-13 the button leads to the provider’s page, and back to the requested page, signed in', async () => {
  const { page } = browser
  provider.people.set('grace', { email: 'grace@example.com', email_verified: true, name: 'Grace Hopper' })
  await page.goto('/brains')
  await page.getByRole('button', { name: 'Continue with Example Company' }).click()
  await passProvider('grace')
  await page.waitForURL('**/brains')
  await isSignedIn()
})

test('D-19 the access code of an emailed link is passed along to the provider', async () => {
  const { page } = browser
  await page.goto('/sign-up?code=SPRING')
  const [sent] = await Promise.all([
    page.waitForRequest('**/api/auth/sign-in/social'),
    page.getByRole('button', { name: 'Continue with Example Company' }).click(),
  ])
  expect(sent.postDataJSON()).toMatchObject({ inviteCode: 'SPRING' })
})

test('AUT-14 a person whose address the provider has not verified sees the reason on the sign-in page', async () => {
  const { page } = browser
  provider.people.set('nobody', { email: 'nobody@example.com' })
  await page.goto('/sign-in')
  await page.getByRole('button', { name: 'Continue with Example Company' }).click()
  await passProvider('nobody')
  await page.getByText('Example Company has no verified email address of yours').waitFor()
  expect(await barriers(page)).toEqual([])
})

test('AUT-15 a password leads to the page of the code, and the code to the requested page', async () => {
  const { page } = browser
  const { totpURI, backupCodes } = await createGuarded(service, 'coded@example.com')
  await signIn('coded@example.com')
  await page.getByRole('heading', { name: 'Enter your code' }).waitFor()
  expect(await barriers(page)).toEqual([])
  await page.getByLabel('Code').fill(toWrongCode(totpURI))
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByRole('alert').getByText('Invalid code').waitFor()
  await page.getByLabel('Code').fill(toNextCode(totpURI))
  await page.getByRole('button', { name: 'Continue' }).click()
  await isSignedIn()
  await signOut()
  await signIn('coded@example.com')
  await page.getByRole('button', { name: 'Use a backup code' }).click()
  await page.getByLabel('Backup code').fill(backupCodes[0] ?? '')
  await page.getByRole('button', { name: 'Continue' }).click()
  await isSignedIn()
})

test('AUT-15 the sign-in with a provider leads to the page of the code if the account requires one', async () => {
  const { page } = browser
  const { totpURI } = await createGuarded(service, 'both@example.com')
  provider.people.set('both', { email: 'both@example.com', email_verified: true })
  await page.goto('/sign-in')
  await page.getByRole('button', { name: 'Continue with Example Company' }).click()
  await passProvider('both')
  await page.getByLabel('Code').fill(toNextCode(totpURI))
  await page.getByRole('button', { name: 'Continue' }).click()
  await isSignedIn()
})
