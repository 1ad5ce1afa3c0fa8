import { beforeAll, describe, expect, test } from 'vitest'
import { mailedLink } from '../../server/src/test/app.ts'
import { barriers } from './browser.ts'
import { createPerson } from './people.ts'
import { provideBrowserPerTest } from './provide-browser.ts'
import { provideOwnService } from './provide-service.ts'
import { password } from './service.ts'

// The page for new accounts where the operator does not let everyone sign up.

/** A service whose first account, the administrator's, is there: it may sign up in any case. */
const provide = (signUp: 'invited' | 'closed') => {
  const service = provideOwnService(async () => ({ NOEMA_SIGN_UP: signUp }))
  const administrator = { cookie: '' }
  beforeAll(async () => {
    if (service.origin !== undefined) Object.assign(administrator, await createPerson(service, 'chief@example.com'))
  })
  const call = (path: string, body: object) =>
    service.request('POST', path, { headers: { origin: service.origin, cookie: administrator.cookie }, body })
  return { service, call, browser: provideBrowserPerTest(() => service) }
}

describe('closed sign-up', () => {
  const { browser } = provide('closed')

  test('AUT-17 the page has no form, and leads to asking for access and to the sign-in', async () => {
    const { page } = browser
    await page.goto('/')
    await page.getByRole('heading', { name: 'Create your account' }).waitFor()
    await page.getByText('Sign-up is closed').waitFor()
    expect(await page.getByRole('button', { name: 'Create account' }).count()).toBe(0)
    expect(await page.locator('input').count()).toBe(0)
    expect(await barriers(page)).toEqual([])
    await page.getByRole('link', { name: 'sign in' }).click()
    await page.getByLabel('Email').fill('chief@example.com')
    await page.getByLabel('Password').fill(password)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { name: 'Your first event' }).waitFor()
  })

  test('AUT-17 ADM-01 somebody without an account asks for access', async () => {
    const { page } = browser
    await page.goto('/sign-up')
    await page.getByRole('link', { name: 'Ask for access' }).click()
    await page.getByLabel('Email').fill('newcomer@example.com')
    await page.getByRole('button', { name: 'Request access' }).click()
    await page.getByText('Your request is with the administrators').waitFor()
  })
})

describe('sign-up by invitation', () => {
  const { service, call, browser } = provide('invited')

  const fill = async (fields: Record<string, string>) => {
    for (const [label, value] of Object.entries(fields)) await browser.page.getByLabel(label).fill(value)
  }
  const create = () => browser.page.getByRole('button', { name: 'Create account' }).click()

  test('AUT-17 D-19 the form requires a code, says when it is wrong, and takes a right one', async () => {
    const { page } = browser
    await page.goto('/sign-up')
    const code = page.getByLabel('Access code')
    await fill({ Name: 'Ada', Email: 'coded@example.com', Password: password })
    await create()
    expect(await page.locator('input:invalid').count()).toBe(1)
    await code.fill('wrong')
    await create()
    await page.getByRole('alert').getByText('Check the access code').waitFor()
    expect(await barriers(page)).toEqual([])
    expect((await call('/v1/admin/invitation-codes', { code: 'SPRING', label: 'Spring' })).status).toBe(201)
    await code.fill('SPRING')
    await create()
    await page.getByRole('heading', { name: 'Your first event' }).waitFor()
  })

  test('AUT-17 the link of an invitation leads to a form that needs no code', async () => {
    const { page } = browser
    const body = { email: 'guest@example.com', role: 'member' }
    expect((await call('/api/auth/organization/invite-member', body)).status).toBe(200)
    await page.goto(mailedLink(service, 'guest@example.com').href)
    await page.getByRole('link', { name: 'Create an account' }).click()
    await fill({ Name: 'Guest', Email: 'guest@example.com', Password: password })
    await create()
    await page.getByText('Confirm your address first').waitFor()
  })
})
