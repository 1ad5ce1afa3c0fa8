import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { fastify } from 'fastify'
import { build, createLogger } from 'vite'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { registerConsole } from '../../server/src/http/console/console.ts'
import { allViews } from './axe.ts'
import { barriers, whyNot } from './browser.ts'
import { provideBrowser } from './provide-browser.ts'

// A page with all components, built for this test and served with the policy of the real pages.

const folder = mkdtempSync(join(tmpdir(), 'noema-gallery-'))
const app = fastify()
let origin: string
const warnings: string[] = []

const customLogger = { ...createLogger('warn'), warn: (text: string) => void warnings.push(text) }

beforeAll(async () => {
  if (whyNot()) return
  const root = fileURLToPath(new URL('..', import.meta.url))
  await build({ root, mode: 'gallery', customLogger, build: { outDir: folder, emptyOutDir: true } })
  registerConsole(app, { folder, basePath: '' })
  app.get('/api/auth/get-session', async () => 'null')
  origin = await app.listen({ host: '127.0.0.1', port: 0 })
})

const browser = provideBrowser(
  () => ({ origin }),
  async () => {
    await browser.page.goto('/components')
    await browser.page.getByRole('heading', { name: 'Components' }).waitFor()
  },
)

afterAll(async () => {
  await app.close()
  rmSync(folder, { recursive: true })
})

test('the build warns of nothing: people who install the service see what it prints', () => {
  expect(warnings).toEqual([])
})

test('every component is accessible in light and dark, narrow and wide', async () => {
  expect(await barriers(browser.page, allViews)).toEqual([])
})

test('a dialog traps the focus, Escape closes it, and the focus returns', async () => {
  const { page } = browser
  for (const name of ['Open a dialog', 'Open a drawer', 'Ask first']) {
    await page.getByRole('button', { name }).click()
    await page.getByRole('dialog').waitFor()
    const holdsFocus = () => page.evaluate("document.querySelector('[role=dialog]').contains(document.activeElement)")
    await expect.poll(holdsFocus).toBe(true)
    expect([name, await barriers(page)]).toEqual([name, []])
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe(name)
  }
})

test('a dialog asks before Escape or a click outside discards typed text', async () => {
  const { page } = browser
  const dialog = page.getByRole('dialog', { name: 'Create a Brain' })
  await page.getByRole('button', { name: 'Open a dialog' }).click()
  const field = dialog.getByLabel('Handle')
  await field.fill('half of a')
  await page.keyboard.press('Escape')
  await dialog.getByText('Your changes will be lost.').waitFor()
  expect(await barriers(page)).toEqual([])
  // Enter chooses the safe answer.
  await page.keyboard.press('Enter')
  await expect.poll(() => page.evaluate('document.activeElement.value')).toBe('half of a')
  await page.mouse.click(5, 5)
  await dialog.getByRole('button', { name: 'Discard' }).click()
  await dialog.waitFor({ state: 'detached' })
})

test('a form shows an error of the browser, the contract or the service at its field, and is sent once', async () => {
  const { page } = browser
  const form = page.locator('form', { has: page.getByLabel('Depth') })
  const expectError = async (label: string, text: string | RegExp) => {
    await page
      .locator('.field', { has: page.getByLabel(label) })
      .locator('.field-error', { hasText: text })
      .waitFor()
    await form.getByLabel(label).and(page.locator(':focus')).waitFor()
    expect(await form.locator('.field-error').count()).toBe(1)
  }
  await form.getByLabel('Depth').fill('9')
  await page.keyboard.press('Enter')
  await expectError('Depth', '6')
  await form.getByLabel('Depth').fill('2')
  await form.getByLabel('Name').fill('x'.repeat(1_000))
  await page.keyboard.press('Enter')
  await expectError('Name', 'Expected')
  await form.getByText('Sent 0').waitFor()
  await form.getByLabel('Name').fill('Atlas')
  await page.keyboard.press('Enter')
  await expectError('Handle', 'This handle is taken.')
  await form.getByText('Sent 1').waitFor()
  expect(await barriers(page)).toEqual([])
  // An unchanged form can be sent again. A second submit event during the first is ignored.
  await page.evaluate("for (const _ of [1, 2]) document.querySelector('form input[name=depth]').form.requestSubmit()")
  await form.getByText('Sent 2').waitFor()
  await expectError('Handle', 'This handle is taken.')
  await form.getByText('Sent 2').waitFor()
})

test('a destructive act asks for the name, and shows its error', async () => {
  const { page } = browser
  await page.getByRole('button', { name: 'Ask first' }).click()
  const act = page.getByRole('button', { name: 'Delete Brain' })
  expect(await act.isDisabled()).toBe(true)
  await page.getByLabel('Type handbook to confirm').fill('handbook')
  await page.keyboard.press('Enter')
  await page.getByRole('alert').getByText('It is held.').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
})

test('a menu and a combobox open over the page and work by keyboard', async () => {
  const { page } = browser
  await page.getByRole('button', { name: 'Menu' }).press('Enter')
  await page.getByRole('menuitem', { name: 'Rename' }).waitFor()
  expect(await barriers(page)).toEqual([])
  await page.keyboard.press('Escape')
  await page.getByRole('menu').waitFor({ state: 'detached' })
  await page.getByRole('combobox', { name: 'Kind' }).fill('pro')
  await page.getByRole('option', { name: 'project' }).waitFor()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  expect(await page.getByRole('combobox', { name: 'Kind' }).inputValue()).toBe('project')
})

test('of a hundred thousand rows, only visible ones are drawn, and keys and the wheel reach all of them', async () => {
  const { page } = browser
  const table = page.getByRole('table', { name: 'Records', exact: true })
  expect(await table.locator('tr[data-row]').count()).toBeLessThan(60)
  await table.locator('tr[data-row="0"]').focus()
  for (const key of ['j', 'j', 'k', 'x', 'Enter']) await page.keyboard.press(key)
  await table.getByText('"Record 1"').waitFor()
  expect(await table.getByRole('checkbox', { name: 'Select row 2', exact: true }).isChecked()).toBe(true)
  await page.keyboard.press('Enter')
  await page.keyboard.press('End')
  await table.getByText('Record 99999').waitFor()
  await page.locator('.data-table').first().hover()
  for (let turn = 0; turn < 20; turn++) await page.mouse.wheel(0, -2_000)
  await table
    .getByText(/Record 98\d\d\d/)
    .first()
    .waitFor()
  expect(await table.locator('tr[data-row]').count()).toBeLessThan(60)
})

/** Counts the rows of tables that are drawn during an action, until the page is idle. */
const countDrawn = async (act: string): Promise<number> =>
  Number(
    await browser.page.evaluate(`(async () => {
      const frame = document.querySelector('.data-table')
      const nextFrame = () => new Promise(requestAnimationFrame)
      performance.clearMarks('row drawn')
      ${act}
      for (let still = 0, before = -1; still < 20; still++) {
        await nextFrame()
        const drawn = performance.getEntriesByName('row drawn').length
        if (drawn !== before) still = 0
        before = drawn
      }
      return performance.getEntriesByName('row drawn').length
    })()`),
  )

test('a scroll draws new rows only, and a selection draws its row only', async () => {
  const { page } = browser
  const table = page.getByRole('table', { name: 'Records', exact: true })
  await countDrawn('frame.scrollTop = 1_600_000')
  const heights = await table.locator('tr[data-row]').evaluateAll((rows) => rows.map((row) => row.clientHeight))
  expect(new Set(heights)).toEqual(new Set([32]))
  for (const rows of [1, 10, -5])
    expect(await countDrawn(`frame.scrollTop += ${rows} * 32`)).toBeLessThanOrEqual(Math.abs(rows) + 1)
  expect(await countDrawn("frame.querySelectorAll('tbody .tick input')[20].click()")).toBe(1)
})

test('a toast is shown, announced and dismissed; an error stays', async () => {
  const { page } = browser
  await page.getByRole('button', { name: 'Failure' }).click()
  const messages = page.getByRole('region', { name: 'Messages' })
  await messages.getByText('Not published').waitFor()
  expect(await barriers(page)).toEqual([])
  await messages.getByRole('button', { name: 'Dismiss' }).click()
  await messages.getByText('Not published').waitFor({ state: 'detached' })
})

test('no page broke its policy, called another host or threw', () => {
  expect(browser.problems).toEqual([])
})
