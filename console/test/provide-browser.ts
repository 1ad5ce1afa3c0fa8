import { afterAll, beforeAll, beforeEach, expect } from 'vitest'
import { type Browser, openBrowser, whyNot } from './browser.ts'

// The browser of a test file. Without Chromium, each test is skipped and names the reason.

/** The origin of the pages, and other origins that they may load. Called in a hook. */
type Target = () => { origin: string; others?: readonly string[] }

const skipWithoutBrowser = (): boolean => {
  const reason = whyNot()
  beforeEach(({ skip }) => {
    if (reason) skip(reason)
  })
  return reason !== undefined
}

/** One browser for a file whose tests build on each other. `prepare` runs before the first test. */
export const provideBrowser = (target: Target, prepare: () => Promise<unknown> = async () => undefined): Browser => {
  const browser = {} as Browser
  if (skipWithoutBrowser()) return browser
  beforeAll(async () => {
    const { origin, others } = target()
    Object.assign(browser, await openBrowser(origin, others))
    await prepare()
  })
  // A browser that did not open cannot be closed.
  afterAll(() => browser.close?.())
  return browser
}

/** A new browser for each test. It fails the test if a page broke its policy, threw, or called another host. */
export const provideBrowserPerTest = (target: Target): Browser => {
  const browser = {} as Browser
  if (skipWithoutBrowser()) return browser
  beforeEach(async () => {
    const { origin, others } = target()
    Object.assign(browser, await openBrowser(origin, others))
    return async () => {
      expect(browser.problems).toEqual([])
      await browser.close()
    }
  })
  return browser
}
