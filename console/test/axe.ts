import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'

// Finds accessibility problems with axe. Each document gets axe once, because parsing it takes longer than most checks; the minified
// file is parsed in half the time.

const axe = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8')

type View = { width: number; height: number; scheme: 'light' | 'dark'; checks: object }

const narrow = { width: 390, height: 844 }
const wide = { width: 1280, height: 900 }
// Another scheme changes colors only.
const colors = { runOnly: ['color-contrast'] }

/** A narrow window shows the colors of a wide one in another order, and finding contrasts takes axe as long as all else. */
export const pageViews: readonly View[] = [
  { ...narrow, scheme: 'light', checks: { rules: { 'color-contrast': { enabled: false } } } },
  { ...wide, scheme: 'light', checks: {} },
  { ...wide, scheme: 'dark', checks: colors },
]

/** Everything in light and dark, narrow and wide: for a page of all components. */
export const allViews: readonly View[] = [
  { ...narrow, scheme: 'light', checks: colors },
  { ...narrow, scheme: 'dark', checks: colors },
  ...pageViews,
]

/** A string, because it runs in the page, where the types of the tests do not apply. */
const look = (within: string | undefined, options: object) => `(async () => {
  const { violations } = await axe.run(${within === undefined ? 'document' : JSON.stringify(within)}, ${JSON.stringify(options)})
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => id + ' ' + nodes[0]?.html)
})()`

/** The accessibility problems of a page, or of an overlay, in a view. The page takes the view's size. */
export const findViolations = async (page: Page, view: View, within?: string): Promise<string[]> => {
  const { width, height, scheme, checks } = view
  await page.setViewportSize({ width, height })
  await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' })
  if (await page.evaluate('window.axe === undefined')) await page.evaluate(axe)
  const found = await page.evaluate<string[]>(look(within, { ...checks, resultTypes: ['violations'] }))
  return found.map((one) => `${width} ${scheme} ${one}`)
}
