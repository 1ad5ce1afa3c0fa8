import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { mailedLink } from '../../server/src/test/app.ts'
import { barriers } from './browser.ts'
import { openConsole } from './open-console.ts'
import { password } from './service.ts'
import { type Call, signUpOnPage } from './signed-in.ts'

// The organization's own page, its export and its end, and the end of an account. One story, told in the order of the file.

let call: Call

const { service, browser } = openConsole(async () => {
  call = await signUpOnPage(browser, service)
  await browser.page.goto(mailedLink(service, 'ada@example.com').href)
  await browser.page.getByRole('button', { name: /^Account/ }).waitFor()
  await call('PUT', '/v1/brains/notes', {})
})

const panel = (name: string) => browser.page.getByRole('region', { name })

test('D-18 the page of the organization says what it may use and has used', async () => {
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

test('it is renamed, and the switcher says so', async () => {
  const { page } = browser
  await page.getByRole('button', { name: 'Rename' }).click()
  await page.getByLabel('Name').fill('Harbour Office')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Organization: Harbour Office' }).waitFor()
  await page.getByRole('heading', { name: 'Harbour Office' }).waitFor()
})

test('END-08 an export goes on while other pages are open, and is kept whole', async () => {
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

test('another organization is made, and the pages are of it', async () => {
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

test('END-02 a hold keeps the organization, and says where it is released', async () => {
  const { page } = browser
  await call('PUT', '/v1/brains/notes/hold', { reason: 'audit' })
  await page.getByRole('button', { name: 'Delete organization…' }).click()
  await page.getByText('A hold prevents the deletion').waitFor()
  expect(await page.getByRole('button', { name: 'Delete organization', exact: true }).count()).toBe(0)
  await page.keyboard.press('Escape')
  await call('DELETE', '/v1/brains/notes/hold')
})

test('END-01 its deletion is told, confirmed by typing, and over at once', async () => {
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

test('whoever belongs to no organization any more makes one', async () => {
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

test('END-04 an account ends with its address and password, and what that takes is told before', async () => {
  const { page } = browser
  // The first account of a service administers it, and stays.
  await page.context().clearCookies()
  const bo = await page.context().request.post('/api/auth/sign-up/email', {
    headers: { origin: service.origin },
    data: { email: 'bo@example.com', password, name: 'Bo' },
  })
  expect(bo.status()).toBe(200)
  await page.goto('/account')
  await page.getByRole('button', { name: 'Delete account…' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('will be deleted', { exact: true }).waitFor()
  expect(await barriers(page)).toEqual([])
  await dialog.getByLabel('Type bo@example.com to confirm').fill('bo@example.com')
  await dialog.getByLabel('Your password').fill('not the password')
  await dialog.getByRole('button', { name: 'Delete account' }).click()
  await dialog.locator('.notice.danger, .field-error').waitFor()
  await dialog.getByLabel('Your password').fill(password)
  await dialog.getByRole('button', { name: 'Delete account' }).click()
  await page.waitForURL('**/sign-up')
  await page.getByRole('heading', { name: 'Create your account' }).waitFor()
  const again = await page.context().request.post('/api/auth/sign-in/email', {
    headers: { origin: service.origin },
    data: { email: 'bo@example.com', password },
  })
  expect(again.status()).toBe(401)
})

test('no page asked another host, broke its policy or threw', () => {
  expect(browser.problems).toEqual([])
})
