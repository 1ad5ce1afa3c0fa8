import type { Page, Route } from 'playwright-core'

/** Delays the scripts that contain a text until the returned function is called. */
export const holdCode = async (page: Page, words: string) => {
  const released = Promise.withResolvers<void>()
  const hold = async (route: Route) => {
    const script = await (await route.fetch()).text()
    if (script.includes(words)) await released.promise
    await route.continue()
  }
  await page.route('**/assets/*.js', hold)
  return async () => {
    released.resolve()
    await page.unrouteAll({ behavior: 'wait' })
  }
}
