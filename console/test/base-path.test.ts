import { startTestApp } from '@noema/server/test/app.ts'
import { startPathProxy } from '@noema/server/test/path-proxy.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { whyNot } from './browser.ts'
import { provideBrowser } from './provide-browser.ts'
import { password } from './service.ts'

// The pages of a service that shares its host, behind a proxy that forwards one path to it. The tests build on each other.

let proxy: Awaited<ReturnType<typeof startPathProxy>>
let service: Awaited<ReturnType<typeof startTestApp>>
const asked: string[] = []

beforeAll(async () => {
  if (whyNot()) return
  proxy = await startPathProxy({ basePath: '/noema', keepsPath: false })
  service = await startTestApp({ NOEMA_PUBLIC_URL: proxy.url })
  proxy.passTo(service.base)
})

const browser = provideBrowser(
  () => proxy,
  async () => {
    browser.page.on('request', (request) => asked.push(new URL(request.url()).pathname))
  },
)

afterAll(async () => {
  await service?.close()
  await proxy?.close()
})

const pathname = () => new URL(browser.page.url()).pathname

test('D-83 a person signs up, creates a Brain, writes, and sees the event, all below the path', async () => {
  const { page } = browser
  await page.goto('/noema')
  await page.getByRole('heading', { name: 'Create your account' }).waitFor()
  await page.getByLabel('Name').fill('Docs team')
  await page.getByLabel('Email').fill('docs@example.com')
  await page.getByLabel('Password').fill(password)
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Create Brain' }).click()
  await page.getByText('Listening to handbook.').waitFor()
  expect(pathname()).toBe('/noema/')
  await page.getByRole('button', { name: 'Mint key' }).click()
  await page.getByTestId('secret').waitFor()
  await page.getByRole('button', { name: 'I have saved it, hide it' }).click()
  await page.getByText('Document', { exact: true }).click()
  await page.getByRole('button', { name: 'Write document' }).click()
  await page.getByText('document.served').waitFor()
})

test('D-83 pages open by links, by URL and by going back, and written content is found', async () => {
  const { page } = browser
  await page.getByRole('link', { name: 'handbook' }).click()
  await page.waitForURL('**/noema/brains/handbook')
  await page.getByRole('link', { name: 'Playground', exact: true }).click()
  await page.getByRole('searchbox', { name: 'Search handbook' }).fill('releases on tuesdays')
  const found = page.locator('.hit', { hasText: 'How we release' }).first()
  await found.getByRole('link', { name: 'How we release' }).click()
  await page.getByRole('heading', { name: 'How we release' }).waitFor()
  expect(pathname()).toMatch(/^\/noema\/brains\/handbook\/documents\//)
  await page.goBack()
  await found.waitFor()
  await page.goto('/noema/brains')
  await page.getByRole('link', { name: 'handbook' }).waitFor()
  await Promise.all([page.keyboard.press('g'), page.keyboard.press('r')])
  await page.waitForURL('**/noema/review')
})

test('D-83 the documentation and the sign-in page after signing out are below the path', async () => {
  const { page } = browser
  await page.goto('/noema/docs')
  await page.getByText('Knowledge stores for AI agents').first().waitFor()
  expect(await page.locator('select').first().textContent()).toContain(proxy.url)
  await page.goto('/noema/')
  await page.getByRole('button', { name: 'docs@example.com' }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.waitForURL('**/noema/sign-in')
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  // The page that is left does not load the session, which would show the sign-in form at its URL.
  const leaving = asked.slice(asked.lastIndexOf('/noema/api/auth/sign-out'), asked.lastIndexOf('/noema/sign-in'))
  expect(leaving).not.toContain('/noema/api/auth/get-session')
  await page.getByRole('link', { name: 'Noema' }).click()
  await page.waitForURL(`${proxy.url}/`)
})

test('D-83 no page requested anything outside of the path, broke its policy or threw', () => {
  expect(asked.length).toBeGreaterThan(50)
  expect(asked.filter((path) => path !== '/noema' && !path.startsWith('/noema/'))).toEqual([])
  expect(proxy.strayed).toEqual([])
  expect(browser.problems).toEqual([])
})
