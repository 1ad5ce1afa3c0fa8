import { expect, test } from 'vitest'
import { toCode } from '../../server/src/test/totp.ts'
import { barriers } from './browser.ts'
import { createPerson } from './people.ts'
import { provideBrowserPerTest } from './provide-browser.ts'
import { provideService } from './provide-service.ts'
import { password } from './service.ts'

// The account page, and passkeys.

const service = provideService()
const browser = provideBrowserPerTest(() => ({ origin: service.origin, others: [local()] }))

const isSignedIn = () => browser.page.getByRole('button', { name: /^Account/ }).waitFor()

const signOut = async () => {
  await browser.page.getByRole('button', { name: /^Account/ }).click()
  await browser.page.getByRole('menuitem', { name: 'Sign out' }).click()
  // The page reloads by itself.
  await browser.page.waitForURL('**/sign-in')
}

/** A platform authenticator that confirms the presence of its user. */
const plugInDevice = async () => {
  const devtools = await browser.page.context().newCDPSession(browser.page)
  await devtools.send('WebAuthn.enable')
  await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      ...{ protocol: 'ctap2', transport: 'internal', hasResidentKey: true, hasUserVerification: true },
      ...{ isUserVerified: true, automaticPresenceSimulation: true },
    },
  })
}

/** Passkeys need a domain name. The service also accepts `localhost`. */
const local = () => service.origin.replace('127.0.0.1', 'localhost')

const signInAt = async (origin: string, email: string) => {
  const { page } = browser
  await page.goto(`${origin}/sign-in`)
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await isSignedIn()
}

test('AUT-16 a passkey is added on the account page, and signs in without a password', async () => {
  const { page } = browser
  await createPerson(service, 'passkey@example.com')
  await plugInDevice()
  await signInAt(local(), 'passkey@example.com')
  await page.goto(`${local()}/account`)
  await page.getByRole('button', { name: 'Add a passkey' }).click()
  await page.getByLabel('Name').fill('This laptop')
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByText('This laptop').waitFor()
  await signOut()
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
  await isSignedIn()
  await page.goto(`${local()}/account`)
  await page.getByRole('button', { name: 'Remove This laptop' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
  await page.getByText('You need no password').waitFor()
})

test('AUT-15 two-factor codes are turned on and off on the account page', async () => {
  const { page } = browser
  await createPerson(service, 'turning@example.com')
  await signInAt(service.origin, 'turning@example.com')
  await page.goto('/account')
  const panel = page.getByRole('region', { name: 'Two-factor codes' })
  await panel.getByRole('button', { name: 'Turn on' }).click()
  await panel.getByLabel('Your password').fill(password)
  await panel.getByRole('button', { name: 'Continue' }).click()
  await page.getByRole('img', { name: 'QR code' }).waitFor()
  expect(await barriers(page)).toEqual([])
  const secret = ((await page.getByTestId('totp-secret').textContent()) ?? '').replaceAll(' ', '')
  await panel.getByLabel('Code from the app').fill(toCode(`otpauth://totp/x?secret=${secret}`))
  await panel.getByRole('button', { name: 'Turn on' }).click()
  await page.getByText('Keep these backup codes now').waitFor()
  expect(await page.locator('.backup-codes li').count()).toBe(10)
  await page.getByRole('button', { name: 'I have saved them' }).click()
  await panel.getByRole('button', { name: 'Turn off' }).click()
  await panel.getByLabel('Your password').fill(password)
  await panel.getByRole('button', { name: 'Turn off' }).click()
  await panel.getByRole('button', { name: 'Turn on' }).waitFor()
})

const signInWith = (chosen: string) =>
  service.request('POST', '/api/auth/sign-in/email', {
    headers: { origin: service.origin },
    body: { email: 'owner@example.com', password: chosen },
  })

test('the account page changes the name and the password, and ends other sessions', async () => {
  const { page } = browser
  await createPerson(service, 'owner@example.com')
  await signInAt(service.origin, 'owner@example.com')
  await page.goto('/account')
  await page.getByText('Current').waitFor()
  expect(await barriers(page)).toEqual([])
  await page.getByRole('button', { name: /^End Another program/ }).click()
  await page.getByRole('button', { name: /^End Another program/ }).waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Change name' }).click()
  await page.getByLabel('Name').fill('Ada King')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('region', { name: 'Profile' }).getByText('Ada King').waitFor()
  await page.getByRole('button', { name: 'Change password' }).click()
  await page.getByLabel('Current password').fill(password)
  await page.getByLabel('New password').fill('another horse battery')
  await page.getByRole('button', { name: 'Change password' }).click()
  await page.getByText('Changing your password signs out all your other sessions').waitFor()
  expect((await signInWith('another horse battery')).status).toBe(200)
})
