import { expect, test } from 'vitest'
import { pages } from '../src/pages.ts'
import { barriers } from './browser.ts'
import { signUp } from './member.ts'
import { openConsole } from './open-console.ts'
import { openEverything } from './openers.ts'
import { createOrganizationCaller, seed } from './seed.ts'

/** Nothing is awaited any more: no skeleton, no busy table, no line that says so. */
const isSettled = `document.querySelector('main h1, main h2') !== null &&
  document.querySelector('.skeleton, [aria-busy=true], .loading, .loading-bar[data-loading]') === null`

/** A signed-in browser on an organization in which every page has something to show, and the pages that `isOurs` chooses. */
const openPages = (isOurs: (path: string) => boolean) => {
  let toAddress: Awaited<ReturnType<typeof seed>>

  const { service, browser } = openConsole(async () => {
    const headers = await signUp(service, browser, 'walk@example.com')
    toAddress = await seed(createOrganizationCaller(service, headers))
  })

  const open = async (path: string): Promise<void> => {
    const { page } = browser
    const address = toAddress(path)
    if (address === undefined) throw new Error(`seed.ts says nothing of where ${path} is.`)
    expect((await page.goto(address))?.status()).toBe(200)
    await expect.poll(() => page.evaluate(isSettled), { timeout: 30_000 }).toBe(true)
  }

  return { browser, open, walked: pages.filter((page) => !('isPublic' in page) && isOurs(page.path)) }
}

/**
 * Opens every page of the list that `isOurs` chooses, with something to show on it, and looks at it in light and dark, narrow
 * and wide. A new page is walked by itself; one with a part that varies needs a line in `seed.ts`.
 */
export const walkPages = (isOurs: (path: string) => boolean) => {
  const { browser, open, walked } = openPages(isOurs)

  test.each(walked)('$path keeps nobody out', async ({ path }) => {
    await open(path)
    expect(await browser.page.getByRole('alert').allTextContents()).toEqual([])
    expect(await barriers(browser.page)).toEqual([])
  })

  test('no page asked another host, broke its policy or threw', () => {
    expect(browser.problems).toEqual([])
  })
}

/** Opens what each page's buttons open over it: dialogs, drawers, menus and lists. */
export const walkOpened = (isOurs: (path: string) => boolean) => {
  const { browser, open, walked } = openPages(isOurs)
  let opened = 0

  test.each(walked)('what opens over $path keeps nobody out, and Escape leads back', async ({ path }) => {
    const { count, wrong } = await openEverything(browser.page, () => open(path))
    expect(wrong).toEqual([])
    opened += count
  })

  test.runIf(isOurs('/brains'))(
    'what opens from the frame of the pages keeps nobody out, and Escape leads back',
    async () => {
      const { count, wrong } = await openEverything(browser.page, () => open('/brains'), '.side, .top')
      expect(wrong).toEqual([])
      // The organizations, the palette, the notifications and the account.
      expect(count).toBe(4)
    },
  )

  test('something opened, and none of it asked another host, broke its policy or threw', () => {
    expect(opened).toBeGreaterThan(3)
    expect(browser.problems).toEqual([])
  })
}
