import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'

// Finds accessibility problems with axe. Each document gets axe once, because parsing it takes longer than most checks; the minified
// file is parsed in half the time.

const axe = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8')

export const schemes = ['light', 'dark'] as const
type Scheme = (typeof schemes)[number]

/** A string, because it runs in the page, where the types of the tests do not apply. */
const look = (within: string | undefined, options: object) => `(async () => {
  const { violations } = await axe.run(${within === undefined ? 'document' : JSON.stringify(within)}, ${JSON.stringify(options)})
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => id + ' ' + nodes[0]?.html)
})()`

/** The accessibility problems of a page, or of an overlay, in a color scheme. */
export const findViolations = async (page: Page, scheme: Scheme, within?: string): Promise<string[]> => {
  await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' })
  if (await page.evaluate('window.axe === undefined')) await page.evaluate(axe)
  // Another scheme changes colors only.
  const runOnly = scheme === 'dark' ? { runOnly: ['color-contrast'] } : {}
  return page.evaluate<string[]>(look(within, { ...runOnly, resultTypes: ['violations'] }))
}
