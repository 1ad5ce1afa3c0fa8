import type { Locator, Page, Request } from 'playwright-core'
import { expect, vi } from 'vitest'
import { findViolations, schemes } from './axe.ts'

// What opens over a page: every button of it is pressed once, and what comes up is looked at.

const over = '[role=dialog], [role=alertdialog], [role=menu], [role=listbox]'

/** Does something at once, for itself or for good; what such a button does has a test of its own. */
const acts =
  /^(approve|reject|publish|schedule|apply|decide|undo|rebase|cancel|mark |copy|pause|go on|follow|run|search|ask|send|load|read again|again|retry|download|sign out|end |save|answer|stop|theme|use |hold|release)/i

/** Written as text, because it runs in the page, where the types of the tests do not hold. */
const listButtons = (
  within: string,
) => `[...document.querySelectorAll('${within}')].flatMap((part) => [...part.querySelectorAll('button[type=button]')])
  .filter((button) => button.checkVisibility() && !button.disabled && button.ariaDisabled !== 'true')
  .filter((button) => !button.matches('[role=tab], [role=switch], [role=radio], [aria-pressed], [aria-current]'))
  .map((button) => button.ariaLabel ?? button.textContent.trim())
  .filter((name) => name !== '')`

/** Each name once; those of a row are as those of the next but for a number. */
const toKinds = (names: string[]): string[] => [
  ...new Map(names.filter((name) => !acts.test(name)).map((name) => [name.replace(/\d+/g, '#'), name])).values(),
]

const inView = `(() => {
  const { left, right } = [...document.querySelectorAll('${over}')].at(-1).getBoundingClientRect()
  return left >= 0 && right <= document.documentElement.clientWidth
})()`

const sizes = [
  { width: 1280, height: 900 },
  { width: 390, height: 844 },
]

/** What keeps people from using what is open, wide and narrow, in light and dark. */
const findBarriers = async (page: Page): Promise<string[]> => {
  const found: string[] = []
  for (const size of sizes) {
    await page.setViewportSize(size)
    for (const scheme of schemes)
      found.push(...(await findViolations(page, scheme, over)).map((one) => `${size.width} ${scheme} ${one}`))
    if (!(await page.evaluate(inView))) found.push(`${size.width}: reaches beyond the window`)
  }
  // What opened it may be left out where there is little room.
  await page.setViewportSize({ width: 1280, height: 900 })
  return found
}

/** What came is drawn after two frames, once the page has nothing else to do. */
const drawn = `new Promise((done) =>
  requestAnimationFrame(() => requestAnimationFrame(() => requestIdleCallback(done))))`

/** Follows what the page asks for. A stream of events is never answered whole. */
const watchRequests = (page: Page) => {
  const open = new Set<Request>()
  const begin = (request: Request) => {
    if (request.headers().accept !== 'text/event-stream') open.add(request)
  }
  const end = (request: Request) => open.delete(request)
  page.on('request', begin).on('requestfinished', end).on('requestfailed', end)
  return {
    /** Waits until all that was asked for has come and is drawn, and whatever that asked for in its turn. */
    settle: async () => {
      do {
        await page.evaluate(drawn)
        await vi.waitFor(() => expect(open.size).toBe(0), { timeout: 90_000 })
        await page.evaluate(drawn)
      } while (open.size > 0)
    },
    stop: () => page.off('request', begin).off('requestfinished', end).off('requestfailed', end),
  }
}

/** The name of what has the focus; a field that is typed into stands for the button of its list. */
const toName = `(() => {
  const focused = document.activeElement
  return focused?.closest('.combobox')?.querySelector('button')?.ariaLabel ?? focused?.ariaLabel ?? focused?.textContent?.trim()
})()`

/** Looks at what a button opened, and that Escape takes it away and gives the focus back. */
const lookAt = async (page: Page, opened: Locator, name: string): Promise<string[]> => {
  const found = await findBarriers(page)
  await page.keyboard.press('Escape')
  await opened.waitFor({ state: 'hidden', timeout: 30_000 }).catch(() => found.push('Escape leaves it open'))
  if (found.length > 0) return found
  // The focus comes back a moment after what was open is gone.
  const returned = vi.waitFor(async () => expect(String(await page.evaluate(toName))).toBe(name), { timeout: 30_000 })
  return returned.then(
    () => [],
    async () => [`the focus goes to “${String(await page.evaluate(toName)).slice(0, 40)}”`],
  )
}

/** Opens all that the buttons within some parts of an open page open over it. Answers how many did, and what is wrong with them. */
export const openEverything = async (page: Page, reopen: () => Promise<void>, within = 'main') => {
  const wrong: string[] = []
  let count = 0
  const { settle, stop } = watchRequests(page)
  await settle()
  for (const name of toKinds(await page.evaluate(listButtons(within)))) {
    const button = page.locator(within).getByRole('button', { name, exact: true }).first()
    if (!(await button.isVisible())) continue
    const before = page.url()
    await button.click()
    await settle()
    const opened = page.locator(over).last()
    if (await opened.isVisible()) {
      count++
      wrong.push(...(await lookAt(page, opened, name)).map((one) => `${name}: ${one}`))
    }
    if (page.url() !== before) {
      await reopen()
      await settle()
    }
  }
  stop()
  return { count, wrong }
}
