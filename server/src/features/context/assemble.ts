import type { ContextItem } from '@noema/contracts/context.ts'
import { dropRepeated, joinStretches, orderTurns } from './arrange.ts'
import { frameItem, newMark, plain, preamble, quoted } from './frame.ts'
import type { Material } from './material.ts'
import { countTokens } from './tokens.ts'

// What was found becomes one text: as much as the budget holds, the best first.

/** The least of a text that is worth showing, in characters. */
const leastCut = 150

const cutSign = '\n[cut]'

/** An item with a beginning of its text, to the end of a word. Where that ends is not where its stretches do. */
const cutAt = (material: Material, length: number): Material => {
  const { spans, ...details } = material.details
  const beginning = material.text.slice(0, length)
  const end = Math.max(beginning.lastIndexOf(' '), beginning.lastIndexOf('\n'))
  return { ...material, text: (end > length / 2 ? beginning.slice(0, end) : beginning) + cutSign, details }
}

/** The item with the longest beginning of its text that fits; undefined where that would be too little. */
const cutToFit = (material: Material, fits: (cut: Material) => boolean): Material | undefined => {
  let [fitting, over] = [0, material.text.length]
  while (over - fitting > 1) {
    const middle = Math.floor((fitting + over) / 2)
    if (fits(cutAt(material, middle))) fitting = middle
    else over = middle
  }
  return fitting < leastCut ? undefined : cutAt(material, fitting)
}

const framed = (mark: string, item: number, { type, id, version, about, text }: Material): string =>
  frameItem(mark, item, { address: `${type} ${quoted(id)} version ${version}`, about, text })

/** The highest number that an item may have. Items are numbered once they are in order, so each is counted with this. */
const widestNumber = 999

/** As many as the budget holds, the better before the others; one that is too long is cut where enough of it would be left. */
const fill = (mark: string, materials: readonly Material[], budget: number) => {
  let left = budget
  const costOf = (material: Material) => countTokens(`\n\n${framed(mark, widestNumber, material)}`)
  return materials.flatMap((material) => {
    const isWhole = costOf(material) <= left
    const shown = isWhole ? material : cutToFit(material, (cut) => costOf(cut) <= left)
    if (!shown) return []
    left -= costOf(shown)
    return [{ material: shown, cut: !isWhole }]
  })
}

export type Assembled = { context: string; items: ContextItem[]; used: number; dropped: number }

/** Makes the context of what was found, best first, within a budget of tokens. */
export const assemble = (
  found: readonly Material[],
  {
    place,
    tokens,
    limit,
    random,
  }: { place: { handle: string; stateVersion: number }; tokens: number; limit: number; random?: () => string },
): Assembled => {
  const materials = dropRepeated(joinStretches(found)).slice(0, limit)
  const texts = materials.flatMap(({ id, about, text }) => [id, text, ...about])
  const mark = newMark(texts.map(plain), random)
  const head = found.length === 0 ? `${preamble(mark, place)}\n\nNothing was found.` : preamble(mark, place)
  const filled = fill(mark, materials, tokens - countTokens(head))
  const shown = orderTurns(filled.map(({ material }) => material))
  const blocks = shown.map((material, index) => framed(mark, index + 1, material))
  const cut = new Set(filled.flatMap((one) => (one.cut ? one.material : [])))
  const context = [head, ...blocks].join('\n\n')
  return {
    context,
    items: shown.map((material, index) => {
      const { type, id, kind, version, title, score, details } = material
      const about = { type, id, ...(kind === undefined ? {} : { kind }), version, title, score, ...details }
      return { item: index + 1, ...about, tokens: countTokens(blocks[index] ?? ''), cut: cut.has(material) }
    }),
    used: countTokens(context),
    dropped: materials.length - shown.length,
  }
}
