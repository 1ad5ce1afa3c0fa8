import type { Page } from 'playwright-core'

/** Returns a function that reads the CPU seconds of a page's main thread. */
export const createBusyReader = async (page: Page): Promise<() => Promise<number>> => {
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('Performance.enable', { timeDomain: 'threadTicks' })
  return async () => {
    const { metrics } = await devtools.send('Performance.getMetrics')
    return metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0
  }
}
