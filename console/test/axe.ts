import axe from 'axe-core'
import type { Page } from 'playwright-core'

// What axe finds on a page. It is given to each document once: to read it takes longer than most looks.

export const schemes = ['light', 'dark'] as const
type Scheme = (typeof schemes)[number]

/** Written as text, because it runs in the page, where the types of the tests do not hold. */
const look = (within: string | undefined, options: object) => `(async () => {
  const { violations } = await axe.run(${within === undefined ? 'document' : JSON.stringify(within)}, ${JSON.stringify(options)})
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => id + ' ' + nodes[0]?.html)
})()`

/** What keeps people from using a page in a scheme, or from what opened over it. */
export const findViolations = async (page: Page, scheme: Scheme, within?: string): Promise<string[]> => {
  await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' })
  if (await page.evaluate('window.axe === undefined')) await page.evaluate(axe.source)
  // Another scheme changes nothing but colours.
  const runOnly = scheme === 'dark' ? { runOnly: ['color-contrast'] } : {}
  return page.evaluate<string[]>(look(within, { ...runOnly, resultTypes: ['violations'] }))
}
