import { describe, expect, test } from 'vitest'
import { pages } from '../src/pages.ts'
import { barriers } from './browser.ts'
import { signUp } from './member.ts'
import { openConsole } from './open-console.ts'
import { openEverything } from './openers.ts'
import { createOrganizationCaller, seed } from './seed.ts'

/** Nothing is awaited any more: no skeleton, no busy table, no line that says so. */
const isSettled = `document.querySelector('main h1, main h2') !== null &&
  document.querySelector('.skeleton, [aria-busy=true], .loading, .loading-bar[data-loading]') === null`

/** A signed-in browser on an organization in which every page has something to show. */
const openSeeded = () => {
  let toAddress: Awaited<ReturnType<typeof seed>>
  let shown: string | undefined

  const { service, browser } = openConsole(async () => {
    const headers = await signUp(service, browser, 'walk@example.com')
    toAddress = await seed(createOrganizationCaller(service, headers))
  })

  const open = async (path: string): Promise<void> => {
    const { page } = browser
    const address = toAddress(path)
    if (address === undefined) throw new Error(`seed.ts says nothing of where ${path} is.`)
    expect((await page.goto(address))?.status()).toBe(200)
    await expect.poll(() => page.evaluate(isSettled)).toBe(true)
    shown = path
  }

  /** Opens a page that the test before may have opened. */
  const keepOpen = async (path: string): Promise<void> => {
    if (shown !== path) await open(path)
    shown = undefined
  }

  return { browser, open, keepOpen }
}

/**
 * Opens every page of the list that `isOurs` chooses, with something to show on it, and looks at it and at what its buttons open
 * over it (dialogs, drawers, menus and lists), in light and dark, narrow and wide. A new page is walked by itself; one with a
 * part that varies needs a line in `seed.ts`.
 */
export const walkPages = (isOurs: (path: string) => boolean, { minOpened }: { minOpened: number }) => {
  let opened = 0
  const { browser, open, keepOpen } = openSeeded()
  const walked = pages.filter((page) => !('isPublic' in page) && isOurs(page.path))

  describe.each(walked)('$path', ({ path }) => {
    test(`${path} keeps nobody out`, async () => {
      await open(path)
      expect(await browser.page.getByRole('alert').allTextContents()).toEqual([])
      expect(await barriers(browser.page)).toEqual([])
    })

    test(`what opens over ${path} keeps nobody out, and Escape leads back`, async () => {
      await keepOpen(path)
      const { count, wrong } = await openEverything(browser.page, () => open(path))
      expect(wrong).toEqual([])
      opened += count
    })
  })

  test.runIf(isOurs('/brains'))(
    'what opens from the frame of the pages keeps nobody out, and Escape leads back',
    async () => {
      await open('/brains')
      const { count, wrong } = await openEverything(browser.page, () => open('/brains'), '.side, .top')
      expect(wrong).toEqual([])
      // The organizations, the palette, the notifications and the account.
      expect(count).toBe(4)
    },
  )

  test('something opened, and no page asked another host, broke its policy or threw', () => {
    expect(opened).toBeGreaterThanOrEqual(minOpened)
    expect(browser.problems).toEqual([])
  })
}
