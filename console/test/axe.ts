import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'

// Finds accessibility problems with axe. Each document gets axe once, because parsing it takes longer than most checks; the minified
// file is parsed in half the time.

const axe = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8')

type View = {
  width: number
  height: number
  scheme: 'light' | 'dark'
  /** All rules; all but contrasts; or the contrasts of each color once, where the light scheme showed all else. */
  checks: 'all' | 'colors' | 'all but colors'
}

const narrow = { width: 390, height: 844 }
const wide = { width: 1280, height: 900 }

/** A narrow window shows the colors of a wide one in another order, and finding contrasts takes axe as long as all else. */
export const pageViews: readonly View[] = [
  { ...narrow, scheme: 'light', checks: 'all but colors' },
  { ...wide, scheme: 'light', checks: 'all' },
  { ...wide, scheme: 'dark', checks: 'colors' },
]

/** Everything in light and dark, narrow and wide: for a page of all components. */
export const allViews: readonly View[] = [narrow, wide].flatMap((size) => [
  { ...size, scheme: 'light', checks: 'all' },
  { ...size, scheme: 'dark', checks: 'colors' },
])

// Strings, because they run in the page, where the types of the tests do not apply.

/**
 * Finds the texts whose colors axe looks at in another scheme, which changes nothing else: the first and the last of those with the same
 * color, size and weight on the same backgrounds, and all controls. With poor colors in every page of a Brain, it found the same pairs
 * among these as among all texts, in three fifths of the time.
 */
const listColored = `(root) => {
  const surfaces = new Map()
  const toSurface = (element) => {
    if (element === null) return ''
    if (surfaces.has(element)) return surfaces.get(element)
    const { backgroundColor, backgroundImage, opacity, filter, mixBlendMode } = getComputedStyle(element)
    const own = [backgroundColor, backgroundImage, opacity, filter, mixBlendMode].join(' ')
    const around = toSurface(element.parentElement)
    const surface = own === 'rgba(0, 0, 0, 0) none 1 none normal' ? around : around + ' / ' + own
    surfaces.set(element, surface)
    return surface
  }
  const isExempt = (element) => element.closest(':disabled, [aria-disabled=true], [aria-hidden=true], [inert]') !== null
  const [first, last] = [new Map(), new Map()]
  const texts = document.createTreeWalker(root, NodeFilter.SHOW_TEXT)
  while (texts.nextNode()) {
    const element = texts.currentNode.parentElement
    const { width, height } = element.getBoundingClientRect()
    if (texts.currentNode.data.trim() === '' || width <= 1 || height <= 1) continue
    const { color, fontSize, fontWeight, textShadow, visibility } = getComputedStyle(element)
    const key = [toSurface(element), isExempt(element), color, fontSize, fontWeight, textShadow, visibility].join()
    if (!first.has(key)) first.set(key, element)
    last.set(key, element)
  }
  return [...new Set([...first.values(), ...last.values(), ...root.querySelectorAll('input, select, textarea')])]
}`

const options = {
  all: {},
  colors: { runOnly: ['color-contrast'] },
  'all but colors': { rules: { 'color-contrast': { enabled: false } } },
} satisfies Record<View['checks'], object>

const look = (within: string | undefined, checks: View['checks']) => `(async () => {
  const roots = [...document.querySelectorAll(${JSON.stringify(within ?? 'html')})]
  const include = ${checks === 'colors' ? `roots.flatMap(${listColored})` : 'roots'}
  if (include.length === 0) return []
  const { violations } = await axe.run({ include }, ${JSON.stringify({ ...options[checks], resultTypes: ['violations'] })})
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
  const found = await page.evaluate<string[]>(look(within, checks))
  return found.map((one) => `${width} ${scheme} ${one}`)
}
