import { readFileSync } from 'node:fs'
import type { Request } from 'playwright-core'
import { expect, test } from 'vitest'
import { barriers } from './browser.ts'
import { holdCode } from './hold-code.ts'
import { signUp } from './member.ts'
import { provideBrowser } from './provide-browser.ts'
import { provideService } from './provide-service.ts'

// The frame of every page: sidebar, breadcrumbs, palette, shortcuts, live stream, toasts.

let headers: Record<string, string>

const call = async (method: string, path: string, body?: object) => {
  const answer = await service.request(method, path, { headers, ...(body && { body }) })
  expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300)
  return answer.body.data
}

const service = provideService()
const browser = provideBrowser(
  () => service,
  async () => {
    headers = await signUp(service, browser, 'frame@example.com')
    for (const handle of ['handbook', 'harbour'])
      await call('PUT', `/v1/brains/${handle}`, { purpose: `About ${handle}` })
    await call('POST', '/v1/brains/handbook/records', { kind: 'project', fields: { name: 'Website' } })
  },
)

const patient = { timeout: 90_000 }
const pathname = () => new URL(browser.page.url()).pathname

test('the list of Brains is filtered by typing, opened by keyboard, and extended with a dialog', async () => {
  const { page } = browser
  await page.goto('/brains')
  const rows = page.getByRole('table', { name: 'Brains' }).locator('tr[data-row]')
  await expect.poll(() => rows.count(), patient).toBe(2)
  expect(await barriers(page)).toEqual([])
  await page.keyboard.press('/')
  await page.keyboard.type('about harb')
  await expect.poll(() => rows.count(), patient).toBe(1)
  expect(new URL(page.url()).searchParams.get('q')).toBe('about harb')
  await page.keyboard.press('Escape')
  await expect.poll(() => rows.count(), patient).toBe(2)
  await page.getByRole('button', { name: 'New Brain' }).click()
  await page.getByRole('dialog', { name: 'Create a Brain' }).waitFor()
  expect(await barriers(page)).toEqual([])
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  // The dialog returns the focus a moment after it is closed.
  await expect.poll(() => page.evaluate('document.activeElement.textContent'), patient).toBe('New Brain')
  const opened = () => page.evaluate("document.activeElement.closest('tr')?.dataset.row")
  await page.locator('main').focus()
  await page.keyboard.press('j')
  await expect.poll(opened, patient).toBe('0')
  await page.keyboard.press('j')
  await expect.poll(opened, patient).toBe('1')
  await page.keyboard.press('Enter')
  await expect.poll(pathname, patient).toBe('/brains/harbour')
})

test('the breadcrumbs lead back up, and the title names the page', async () => {
  const { page } = browser
  const way = page.getByRole('navigation', { name: 'Breadcrumbs' })
  await page.goto('/brains/handbook/records')
  await expect.poll(() => way.locator('li').allTextContents(), patient).toEqual(['Brains', 'handbook', 'Records'])
  await expect.poll(() => page.title(), patient).toBe('Records · handbook · Noema')
  await way.getByRole('link', { name: 'Brains' }).click()
  await expect.poll(pathname, patient).toBe('/brains')
  expect(await page.getByRole('link', { name: 'Brains', exact: true }).first().getAttribute('aria-current')).toBe(
    'page',
  )
})

test('the palette opens anything by a few letters, and searches the open Brain', async () => {
  const { page } = browser
  await page.goto('/brains/handbook')
  await page.getByRole('button', { name: 'Go to, or search' }).waitFor()
  await page.keyboard.press('Control+k')
  const field = page.getByRole('combobox', { name: 'Go to, or search' })
  await field.waitFor()
  await page.getByRole('option', { name: 'harbour' }).waitFor()
  expect(await barriers(page)).toEqual([])
  await field.fill('hrb')
  await page.keyboard.press('Enter')
  await expect.poll(pathname, patient).toBe('/brains/harbour')
  await page.keyboard.press('Control+k')
  await field.fill('winter storage')
  await page.keyboard.press('Enter')
  await expect.poll(pathname, patient).toBe('/brains/harbour/playground')
  expect(new URL(page.url()).searchParams.get('q')).toBe('winter storage')
})

test('shortcuts lead to the areas, and ? lists them', async () => {
  const { page } = browser
  await page.goto('/brains/harbour')
  await page.getByRole('button', { name: /^Account: / }).waitFor()
  await page.locator('main').focus()
  await page.keyboard.press('?')
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
  expect(await barriers(page)).toEqual([])
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await Promise.all([page.keyboard.press('g'), page.keyboard.press('b')])
  await expect.poll(pathname, patient).toBe('/brains')
})

test('a shortcut works as soon as the page is drawn', async () => {
  const { page } = browser
  await page.addInitScript(`new MutationObserver((_changes, observer) => {
    if (location.hash !== '#at-once' || document.querySelector('.palette-button') === null) return
    observer.disconnect()
    document.dispatchEvent(new KeyboardEvent('keydown', { key: 'k', ctrlKey: true }))
  }).observe(document, { childList: true, subtree: true })`)
  await page.goto('/brains/harbour#at-once')
  await page.getByRole('combobox', { name: 'Go to, or search' }).waitFor()
})

test('a menu opens if it loads while its button is held down', async () => {
  const { page } = browser
  for (const { words, before, after, entry } of [
    { words: 'Not signed out', before: 'Account', after: 'Account: ', entry: 'Sign out' },
    { words: 'group:`Organizations`', before: 'Organization: ', after: 'Organization: ', entry: 'Ada Okafor' },
  ]) {
    const release = await holdCode(page, words)
    await page.goto('/brains')
    const button = page.locator(`button[aria-label^="${before}"]`)
    await button.hover()
    await page.mouse.down()
    const placeholder = await button.elementHandle()
    await release()
    await page.locator(`button[aria-label^="${after}"][aria-expanded]`).waitFor()
    expect(await placeholder?.isVisible()).toBe(false)
    await page.mouse.up()
    await page.getByRole('menuitem', { name: entry }).click({ trial: true })
  }
})

test('the page of a browser with a session is drawn before its scripts, names their files, and asks for the account once', async () => {
  const { page } = browser
  const html = await (await page.context().request.get('/brains/handbook/records')).text()
  const manifest = JSON.parse(readFileSync(new URL('../dist/.vite/manifest.json', import.meta.url), 'utf8'))
  for (const view of ['brain/brain.tsx', 'records/records.tsx'])
    expect(html).toContain(
      `<link rel="modulepreload" fetchpriority="low" crossorigin href="/${manifest[`src/views/${view}`].file}">`,
    )
  expect(html).toContain('Noema</span></div>')
  const asked: string[] = []
  page.on('request', (request) => asked.push(new URL(request.url()).pathname))
  await page.goto('/brains/handbook/records')
  await page.getByRole('button', { name: /^Account: / }).waitFor()
  for (const path of ['/api/auth/get-session', '/v1/whoami'])
    expect(asked.filter((one) => one === path)).toEqual([path])
})

test('an overlay that opens while a page loads keeps the focus', async () => {
  const { page } = browser
  const release = await holdCode(page, 'No agents yet')
  await page.goto('/brains')
  await page.getByRole('link', { name: 'Agents', exact: true }).click()
  await page.keyboard.press('Control+k')
  const field = page.getByRole('combobox', { name: 'Go to, or search' })
  await field.fill('Bra')
  await release()
  await expect.poll(() => page.title(), patient).toBe('Agents · Noema')
  expect(await page.evaluate("document.activeElement.getAttribute('role')")).toBe('combobox')
})

test('on narrow screens, the areas are in a drawer', async () => {
  const { page } = browser
  await page.setViewportSize({ width: 390, height: 844 })
  await page.goto('/brains/harbour')
  await page.getByRole('button', { name: 'Menu' }).click()
  await page.getByRole('dialog').getByRole('link', { name: 'Brains', exact: true }).click()
  await expect.poll(pathname, patient).toBe('/brains')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await page.setViewportSize({ width: 1280, height: 900 })
})

test('the pages of a Brain follow its writes', async () => {
  const { page } = browser
  const following = page.waitForResponse((response) => response.url().includes('/events') && response.status() === 200)
  const streaming = page.waitForResponse((response) => response.request().headers().accept === 'text/event-stream')
  await page.goto('/brains/handbook/records')
  await page.getByText('Website').first().waitFor()
  await following
  await streaming
  await call('POST', '/v1/brains/handbook/records', { kind: 'project', fields: { name: 'Lighthouse' } })
  await page.getByText('Lighthouse').first().waitFor()
})

test('the stream of a Brain opens before the page loads its data, and nothing is loaded twice', async () => {
  const { page } = browser
  const asked: string[] = []
  const note = (request: Request) => {
    const { pathname: path, search } = new URL(request.url())
    if (path.startsWith('/v1/brains/handbook')) asked.push(path + search)
  }
  const streaming = page.waitForResponse((response) => response.request().headers().accept === 'text/event-stream')
  page.on('request', note)
  await page.goto('/brains/handbook/records')
  await page.getByText('Website').first().waitFor()
  await streaming
  page.off('request', note)
  expect(asked[0]).toBe('/v1/brains/handbook/events?newest=0')
  expect(asked).toEqual([...new Set(asked)])
})

test('the page of a Brain that is deleted meanwhile says so', async () => {
  const { page } = browser
  await call('PUT', '/v1/brains/fleeting', {})
  const streaming = page.waitForResponse((response) => response.request().headers().accept === 'text/event-stream')
  await page.goto('/brains/fleeting/records')
  await page.getByText('No record').first().waitFor()
  await streaming
  await call('DELETE', '/v1/brains/fleeting')
  await page.getByRole('alert').getByRole('link', { name: 'All Brains' }).waitFor()
  expect(await barriers(page)).toEqual([])
})

test('an unknown path is a 404', async () => {
  expect((await browser.page.goto('/brains/handbook/nothing/at/all'))?.status()).toBe(404)
})

test('no page called another host, broke its policy or threw', () => {
  expect(browser.problems).toEqual([])
})
