import { expect, test } from 'vitest'
import { barriers } from './browser.ts'
import type { Call } from './callers.ts'
import { provideBrowser } from './provide-browser.ts'
import { provideService } from './provide-service.ts'
import { signUpOnPage } from './signed-in.ts'

// A person's notifications. The tests build on each other.

let call: Call

const service = provideService()
const browser = provideBrowser(
  () => service,
  async () => {
    call = await signUpOnPage(browser, service, 'notifications@example.com')
    const expiresAt = new Date(Date.now() + 5 * 86_400_000).toISOString()
    await call('POST', '/v1/keys', { name: 'laptop', expiresAt })
    await call('PUT', '/v1/brains/notes', { mode: 'review' })
    await call('PATCH', '/v1/brains/notes', { mode: 'review' })
    await call('PUT', '/v1/brains/notes/records/one', { kind: 'note' })
  },
)

const row = (title: string) => browser.page.getByRole('row').filter({ hasText: title })
const review = '1 change waits for review in notes'
const key = 'The management key laptop expires soon'

test('open items and problems are listed with links to their pages', async () => {
  const { page } = browser
  await page.goto('/settings/notifications')
  await row(review).waitFor()
  await row(key).getByText('trouble').waitFor()
  expect(await row(review).getByRole('link').getAttribute('href')).toBe('/brains/notes/changes')
  expect(await barriers(page)).toEqual([])
})

test('the bell shows the unread count and the newest notifications, and links to all of them', async () => {
  const { page } = browser
  await page.goto('/brains')
  await page.getByRole('button', { name: 'Notifications: 2 unread' }).click()
  const bell = page.getByRole('dialog', { name: 'Notifications' })
  await bell.getByText(review).waitFor()
  expect(await barriers(page)).toEqual([])
  await bell.getByRole('button', { name: `Mark as read: ${review}` }).click()
  await page.getByRole('button', { name: 'Notifications: 1 unread' }).waitFor()
  await page.keyboard.press('Escape')
  await bell.waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Notifications: 1 unread' }).click()
  await bell.getByRole('link', { name: 'All notifications' }).click()
  await row(key).waitFor()
  expect(new URL(page.url()).pathname).toBe('/settings/notifications')
  await bell.waitFor({ state: 'detached' })
})

test('unread notifications are marked as read; resolved ones disappear automatically', async () => {
  const { page } = browser
  await page.getByText('Unread', { exact: true }).click()
  await row(key).waitFor()
  await page.getByRole('button', { name: 'Mark 1 as read' }).click()
  await page.getByText('All read').waitFor()
  const [change] = (await call('GET', '/v1/changes?decision=pending')).changes
  await call('POST', `/v1/brains/notes/changes/${change.id}/decide`, { decision: 'rejected' })
  await page.goto('/settings/notifications?show=resolved')
  await row('Changes wait for review in notes')
    .or(row('changes wait for review in notes'))
    .getByText('resolved')
    .waitFor()
})

test('an unconfirmed address gets no daily email, and sees the refusal of the service', async () => {
  const { page } = browser
  await page.getByRole('switch').click()
  await page.getByText('Confirm your address first').waitFor()
  expect(await page.getByRole('switch').isChecked()).toBe(false)
})
