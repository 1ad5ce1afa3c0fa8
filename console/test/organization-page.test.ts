import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { mailedLink } from '../../server/src/test/app.ts'
import { barriers } from './browser.ts'
import type { Call } from './callers.ts'
import { provideBrowser } from './provide-browser.ts'
import { provideService } from './provide-service.ts'
import { password } from './service.ts'
import { signUpOnPage } from './signed-in.ts'

// The organization page, its export and deletion, and the deletion of an account. The tests build on each other.

let call: Call

const service = provideService()
const browser = provideBrowser(
  () => service,
  async () => {
    call = await signUpOnPage(browser, service, 'organization@example.com')
    await browser.page.goto(mailedLink(service, 'organization@example.com').href)
    await browser.page.getByRole('button', { name: /^Account/ }).waitFor()
    await call('PUT', '/v1/brains/notes', {})
  },
)

const panel = (name: string) => browser.page.getByRole('region', { name })

test('D-18 the organization page shows its limits and usage', async () => {
  const { page } = browser
  await call('POST', '/v1/brains/notes/records', { kind: 'note', fields: { text: 'One' } })
  await page.goto('/settings/organization')
  await panel('Limits and usage').getByText('Writes today').waitFor()
  expect(await panel('Limits and usage').getByRole('progressbar', { name: 'Brains' }).getAttribute('value')).toBe('1')
  expect(await panel('Limits and usage').getByRole('progressbar', { name: 'Writes today' }).getAttribute('value')).toBe(
    '1',
  )
  expect(await barriers(page)).toEqual([])
})

test('it is renamed, and the switcher shows the new name', async () => {
  const { page } = browser
  await page.getByRole('button', { name: 'Rename' }).click()
  await page.getByLabel('Name').fill('Harbour Office')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Organization: Harbour Office' }).waitFor()
  await page.getByRole('heading', { name: 'Harbour Office' }).waitFor()
})

test('END-08 an export continues while other pages are open, and is saved completely', async () => {
  const { page } = browser
  await page.getByLabel('Include all earlier versions').check()
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Export organization' }).click(),
  ])
  expect(download.suggestedFilename()).toMatch(/^harbour-office-\d{4}-\d\d-\d\d\.ndjson$/)
  const lines = (await readFile(await download.path(), 'utf8')).trimEnd().split('\n')
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({ organization: { name: 'Harbour Office' } })
  expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ end: { brains: 1 } })
  await page.getByRole('region', { name: 'In progress' }).getByText('harbour-office').waitFor()
  expect(await barriers(page)).toEqual([])
  await page.getByRole('region', { name: 'In progress' }).getByRole('button', { name: 'Dismiss' }).click()
})

test('another organization is created, and the pages switch to it', async () => {
  const { page } = browser
  await page.getByRole('button', { name: 'New organization' }).click()
  await page.getByLabel('Name').fill('Second Harbour')
  expect(await page.getByLabel('Slug').inputValue()).toBe('second-harbour')
  expect(await barriers(page)).toEqual([])
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Second Harbour' }).waitFor()
  await page.getByRole('button', { name: 'Switch to Harbour Office' }).click()
  await page.getByRole('heading', { name: 'Harbour Office' }).waitFor()
})

test('END-02 a hold prevents the deletion, and its release is explained', async () => {
  const { page } = browser
  await call('PUT', '/v1/brains/notes/hold', { reason: 'audit' })
  await page.getByRole('button', { name: 'Delete organization…' }).click()
  await page.getByText('A hold prevents the deletion').waitFor()
  expect(await page.getByRole('button', { name: 'Delete organization', exact: true }).count()).toBe(0)
  await page.keyboard.press('Escape')
  await call('DELETE', '/v1/brains/notes/hold')
})

test('END-01 the deletion lists its effects, requires the name, and takes effect at once', async () => {
  const { page } = browser
  await page.getByRole('button', { name: 'Delete organization…' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('Records').waitFor()
  expect(await barriers(page)).toEqual([])
  const confirm = dialog.getByRole('button', { name: 'Delete organization' })
  expect(await confirm.isEnabled()).toBe(false)
  await dialog.getByLabel('Type Harbour Office to confirm').fill('Harbour Office')
  await confirm.click()
  await page.getByText('is being erased in the background').waitFor()
  await page.getByRole('button', { name: 'Organization: Second Harbour' }).waitFor()
  await expect(call('GET', '/v1/brains')).rejects.toThrow('forbidden')
})

test('a person without an organization creates one', async () => {
  const { page } = browser
  await page.goto('/settings/organization')
  await page.getByRole('button', { name: 'Delete organization…' }).click()
  await page.getByLabel('Type Second Harbour to confirm').fill('Second Harbour')
  await page.getByRole('button', { name: 'Delete organization', exact: true }).click()
  await page.getByRole('heading', { name: 'You have no organization' }).waitFor()
  expect(await barriers(page)).toEqual([])
  await page.getByLabel('Name').fill('Third Harbour')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Organization: Third Harbour' }).waitFor()
})

test('END-04 an account is deleted with its email address and password, after a list of the effects', async () => {
  const { page } = browser
  await page.context().clearCookies()
  const leaver = await page.context().request.post('/api/auth/sign-up/email', {
    headers: { origin: service.origin },
    data: { email: 'leaver@example.com', password, name: 'Leaver' },
  })
  expect(leaver.status()).toBe(200)
  await page.goto('/account')
  await page.getByRole('button', { name: 'Delete account…' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('will be deleted', { exact: true }).waitFor()
  expect(await barriers(page)).toEqual([])
  await dialog.getByLabel('Type leaver@example.com to confirm').fill('leaver@example.com')
  await dialog.getByLabel('Your password').fill('not the password')
  await dialog.getByRole('button', { name: 'Delete account' }).click()
  await dialog.locator('.notice.danger, .field-error').waitFor()
  await dialog.getByLabel('Your password').fill(password)
  await dialog.getByRole('button', { name: 'Delete account' }).click()
  await page.waitForURL('**/sign-up')
  await page.getByRole('heading', { name: 'Create your account' }).waitFor()
  const again = await page.context().request.post('/api/auth/sign-in/email', {
    headers: { origin: service.origin },
    data: { email: 'leaver@example.com', password },
  })
  expect(again.status()).toBe(401)
})

test('no page called another host, broke its policy or threw', () => {
  expect(browser.problems).toEqual([])
})
