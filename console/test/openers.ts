import type { Locator, Page, Request } from 'playwright-core'
import { expect, vi } from 'vitest'
import { findViolations, pageViews } from './axe.ts'

// Presses every button of a page once, and checks the overlay that it opens.

const overlays = '[role=dialog], [role=alertdialog], [role=menu], [role=listbox]'

/** The names of buttons that act at once. Each has its own test. */
const acts =
  /^(approve|reject|publish|schedule|apply|decide|undo|rebase|cancel|mark |copy|pause|go on|follow|run|search|ask|send|load|read again|again|retry|download|sign out|end |save|answer|stop|theme|use |hold|release)/i

/** A string, because it runs in the page, where the types of the tests do not apply. */
const listButtons = (
  within: string,
) => `[...document.querySelectorAll('${within}')].flatMap((part) => [...part.querySelectorAll('button[type=button]')])
  .filter((button) => button.checkVisibility() && !button.disabled && button.ariaDisabled !== 'true')
  .filter((button) => !button.matches('[role=tab], [role=switch], [role=radio], [aria-pressed], [aria-current]'))
  .map((button) => button.ariaLabel ?? button.textContent.trim())
  .filter((name) => name !== '')`

/** Each name once. Names that differ only in a number belong to rows of the same list. */
const toKinds = (names: string[]): string[] => [
  ...new Map(names.filter((name) => !acts.test(name)).map((name) => [name.replace(/\d+/g, '#'), name])).values(),
]

const inView = `(() => {
  const { left, right } = [...document.querySelectorAll('${overlays}')].at(-1).getBoundingClientRect()
  return left >= 0 && right <= document.documentElement.clientWidth
})()`

/** An overlay takes its new place a moment after the window has its new size, later on a busy machine. */
const fitsWindow = (page: Page): Promise<boolean> =>
  vi
    .waitFor(async () => expect(await page.evaluate(inView)).toBe(true), { timeout: 10_000 })
    .then(
      () => true,
      () => false,
    )

/** The accessibility problems of the overlay, wide and narrow, in light and dark. */
const findBarriers = async (page: Page): Promise<string[]> => {
  const found: string[] = []
  // Wide last: the button that opened it may be hidden on a narrow screen.
  for (const view of pageViews) {
    found.push(...(await findViolations(page, view, overlays)))
    if (!(await fitsWindow(page))) found.push(`${view.width}: reaches beyond the window`)
  }
  return found
}

/**
 * Resolves once the page has drawn two frames and is idle, or after a second: Chromium never calls an idle callback while each
 * frame takes longer than a busy machine has time for.
 */
const drawn = `new Promise((resolve) => {
  setTimeout(resolve, 1_000)
  requestAnimationFrame(() => requestAnimationFrame(() => requestIdleCallback(resolve)))
})`

/** Follows the requests of the page, except event streams, which have no end. */
const watchRequests = (page: Page) => {
  const open = new Set<Request>()
  const begin = (request: Request) => {
    // A new document cancels the requests of the previous one. Chromium does not report all of them as failed.
    if (request.isNavigationRequest()) open.clear()
    if (request.headers().accept !== 'text/event-stream') open.add(request)
  }
  const end = (request: Request) => open.delete(request)
  page.on('request', begin).on('requestfinished', end).on('requestfailed', end)
  const expectQuiet = async () => {
    await page.evaluate(drawn)
    expect([...open].map((request) => request.url())).toEqual([])
  }
  return {
    /** Waits until all responses are drawn, including those to the requests that they cause. */
    waitUntilQuiet: () =>
      vi.waitFor(
        async () => {
          await expectQuiet()
          await expectQuiet()
        },
        { timeout: 90_000 },
      ),
    stop: () => page.off('request', begin).off('requestfinished', end).off('requestfailed', end),
  }
}

/** The name of the focused element; for the input of a combobox, the name of its button. */
const readFocus = `(() => {
  const focused = document.activeElement
  return focused?.closest('.combobox')?.querySelector('button')?.ariaLabel ?? focused?.ariaLabel ?? focused?.textContent?.trim()
})()`

/** Checks an overlay, and that Escape closes it and returns the focus to its button. */
const checkOverlay = async (page: Page, overlay: Locator, button: string): Promise<string[]> => {
  const found = await findBarriers(page)
  await page.keyboard.press('Escape')
  await overlay.waitFor({ state: 'hidden', timeout: 90_000 }).catch(() => found.push('Escape leaves it open'))
  if (found.length > 0) return found
  // The focus returns a moment after the overlay is closed.
  const returned = vi.waitFor(async () => expect(await page.evaluate(readFocus)).toBe(button), { timeout: 90_000 })
  return returned.then(
    () => [],
    async () => [`the focus goes to “${String(await page.evaluate(readFocus)).slice(0, 40)}”`],
  )
}

/** Fails with the name of a step that takes too long. The time limit of a test would not name it. */
const limit = async <Value>(step: string, work: Promise<Value>): Promise<Value> => {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(new Error(`${step} takes more than 90 seconds.`)), 90_000)
  return Promise.race([work, late.promise]).finally(() => clearTimeout(timer))
}

/** Opens every overlay of the buttons within some parts of an open page. Returns how many opened, and their problems. */
export const openEverything = async (page: Page, reopen: () => Promise<void>, within = 'main') => {
  const wrong: string[] = []
  let count = 0
  const { waitUntilQuiet, stop } = watchRequests(page)
  const press = async (name: string) => {
    const button = page.locator(within).getByRole('button', { name, exact: true }).first()
    if (!(await button.isVisible())) return
    const before = page.url()
    await button.click()
    await waitUntilQuiet()
    const overlay = page.locator(overlays).last()
    if (await overlay.isVisible()) {
      count++
      wrong.push(...(await checkOverlay(page, overlay, name)).map((one) => `${name}: ${one}`))
    }
    if (page.url() === before) return
    await reopen()
    await waitUntilQuiet()
  }
  await waitUntilQuiet()
  for (const name of toKinds(await page.evaluate(listButtons(within)))) await limit(name, press(name))
  stop()
  return { count, wrong }
}
