import { describe, expect, test } from 'vitest'
import { pages } from '../src/pages.ts'
import { barriers } from './browser.ts'
import { type Call, createCaller } from './callers.ts'
import { signUp } from './member.ts'
import { openEverything } from './openers.ts'
import { provideBrowser } from './provide-browser.ts'
import { seed } from './seed.ts'
import type { Service } from './service.ts'

/** True if the page shows no sign of loading data. */
const isLoaded = `document.querySelector('main h1, main h2') !== null &&
  document.querySelector('.skeleton, [aria-busy=true], .loading, .loading-bar[data-loading]') === null`

type Walk = {
  service: Service
  /** The account that is created for the walk. */
  email: string
  isOurs: (path: string) => boolean
  minOpened: number
  seedMore?: (call: Call) => Promise<void>
}

/** A signed-in browser in an organization with content for every page. */
const openSeeded = ({ service, email, seedMore }: Walk) => {
  let toAddress: Awaited<ReturnType<typeof seed>>
  let shown: string | undefined

  const browser = provideBrowser(
    () => service,
    async () => {
      const headers = await signUp(service, browser, email)
      const call = createCaller(service, headers)
      toAddress = await seed(call)
      await seedMore?.(call)
    },
  )

  const open = async (path: string): Promise<void> => {
    const { page } = browser
    const address = toAddress(path)
    if (address === undefined) throw new Error(`seed.ts has no address for ${path}.`)
    expect((await page.goto(address))?.status()).toBe(200)
    await expect.poll(() => page.evaluate(isLoaded)).toBe(true)
    shown = path
  }

  /** Opens a page unless the previous test has just opened it. */
  const keepOpen = async (path: string): Promise<void> => {
    if (shown !== path) await open(path)
    shown = undefined
  }

  return { browser, open, keepOpen }
}

/**
 * Opens every page that `isOurs` chooses, with content, and checks it and the overlays of its buttons (dialogs, drawers, menus
 * and lists), in light and dark, narrow and wide. It includes new pages automatically; one with a parameter needs a line in
 * `seed.ts`.
 */
export const walkPages = (walk: Walk) => {
  const { isOurs, minOpened } = walk
  let opened = 0
  const { browser, open, keepOpen } = openSeeded(walk)
  const walked = pages.filter((page) => !('isPublic' in page) && isOurs(page.path))

  describe.each(walked)('$path', ({ path }) => {
    test(`${path} is accessible`, async () => {
      await open(path)
      expect(await browser.page.getByRole('alert').allTextContents()).toEqual([])
      expect(await barriers(browser.page)).toEqual([])
    })

    test(`the overlays of ${path} are accessible, and Escape closes them`, async () => {
      await keepOpen(path)
      const { count, wrong } = await openEverything(browser.page, () => open(path))
      expect(wrong).toEqual([])
      opened += count
    })
  })

  test.runIf(isOurs('/brains'))('the overlays of the frame are accessible, and Escape closes them', async () => {
    await open('/brains')
    const { count, wrong } = await openEverything(browser.page, () => open('/brains'), '.side, .top')
    expect(wrong).toEqual([])
    // The organizations, the palette, the notifications and the account.
    expect(count).toBe(4)
  })

  test('overlays opened, and no page called another host, broke its policy or threw', () => {
    expect(opened).toBeGreaterThanOrEqual(minOpened)
    expect(browser.problems).toEqual([])
  })
}
