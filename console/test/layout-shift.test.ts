import { describe, expect, test } from 'vitest'
import { createCaller } from './callers.ts'
import { signUp } from './member.ts'
import { provideBrowser } from './provide-browser.ts'
import { provideService } from './provide-service.ts'
import { seed } from './seed.ts'

// Nothing that a person reads moves while a page loads: Chromium's own measure, on a slow network, so that data arrive late.

let toAddress: Awaited<ReturnType<typeof seed>>

const service = provideService()
const browser = provideBrowser(
  () => service,
  async () => {
    toAddress = await seed(createCaller(service, await signUp(service, browser, 'shift@example.com')))
    const devtools = await browser.page.context().newCDPSession(browser.page)
    await devtools.send('Network.emulateNetworkConditions', {
      ...{ offline: false, latency: 150, downloadThroughput: 400_000, uploadThroughput: 200_000 },
    })
    await browser.page.addInitScript(observe)
  },
)

/** Strings, because they run in the page. */
const observe = `
  window.shifts = []
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries())
      window.shifts.push({
        value: entry.value,
        nodes: entry.sources.map(({ node }) => node && (node.className || node.nodeName)).join(', '),
      })
  }).observe({ type: 'layout-shift', buffered: true })`
const isLoaded = `document.querySelector('main h1, main h2') !== null &&
  document.querySelector('.skeleton, [aria-busy=true], .loading, .loading-bar[data-loading]') === null`
/** Two frames, so that the last shift is reported. */
const settle = 'new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))'

const paths = [
  '/',
  '/review',
  '/brains/$handle',
  '/brains/$handle/records',
  '/brains/$handle/documents/$id',
  '/brains/$handle/playground',
  '/runs/$id',
]
const maxShift = 0.1

describe.each([390, 1280])('at a width of %i', (width) => {
  test.each(paths)('%s moves by less than 0.1 while it loads', async (path) => {
    const { page } = browser
    await page.setViewportSize({ width, height: 844 })
    await page.goto(toAddress(path) ?? path)
    await expect.poll(() => page.evaluate(isLoaded)).toBe(true)
    await page.evaluate(settle)
    const shifts = await page.evaluate<{ value: number; nodes: string }[]>('window.shifts')
    const total = shifts.reduce((sum, { value }) => sum + value, 0)
    expect(total, JSON.stringify(shifts)).toBeLessThan(maxShift)
  })
})
