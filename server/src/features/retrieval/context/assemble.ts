import type { ContextItem } from '@noema/contracts/context.ts'
import { dropRepeated, joinStretches, orderTurns } from './arrange.ts'
import type { Material } from './excerpt.ts'
import { frameItem, newMark, plain, preamble, quoted } from './frame.ts'
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

/** What is shown of one version: its stretches, the best first, and together. */
type Shown = { parts: readonly Material[]; material: Material; cost: number; cut: boolean }

/** What is shown with one more stretch; undefined where nothing of it is new. */
const withStretch = (shown: Shown | undefined, stretch: Material): Pick<Shown, 'parts' | 'material'> | undefined => {
  const [best] = shown?.parts ?? []
  if (!shown || !best) return { parts: [stretch], material: stretch }
  if (shown.cut || stretch.type !== 'document') return undefined
  const parts = [...shown.parts, stretch]
  return { parts, material: joinStretches(best, parts) }
}

/**
 * As many stretches as the budget holds, the better before the others, so that no long text takes the place of what answers
 * better than its rest; the first of a version that is too long is cut where enough of it would be left.
 */
const fill = (mark: string, versions: ReadonlyMap<Material, string>, budget: number): Shown[] => {
  const all = new Map<string, Shown>()
  let left = budget
  const costOf = (material: Material) => countTokens(`\n\n${framed(mark, widestNumber, material)}`)
  const show = (version: string, shown: Shown) => {
    left -= shown.cost - (all.get(version)?.cost ?? 0)
    all.set(version, shown)
  }
  for (const [stretch, version] of versions) {
    const before = all.get(version)
    const longer = withStretch(before, stretch)
    if (!longer) continue
    const room = left + (before?.cost ?? 0)
    const cost = costOf(longer.material)
    if (cost <= room) show(version, { ...longer, cost, cut: false })
    else if (!before) {
      const material = cutToFit(stretch, (cut) => costOf(cut) <= room)
      if (material) show(version, { parts: [stretch], material, cost: costOf(material), cut: true })
    }
  }
  return [...all.values()]
}

/** The stretches of the best few versions, each with the version that it is of. */
const versionsOf = (found: readonly Material[], limit: number): Map<Material, string> => {
  const named = found.map((stretch) => [stretch, `${stretch.type} ${stretch.version} ${stretch.id}`] as const)
  const wanted = new Set([...new Set(named.map(([, version]) => version))].slice(0, limit))
  return new Map(named.filter(([, version]) => wanted.has(version)))
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
  const versions = versionsOf(dropRepeated(found), limit)
  const texts = [...versions.keys()].flatMap(({ id, about, text }) => [id, text, ...about])
  const mark = newMark(texts.map(plain), random)
  const head = found.length === 0 ? `${preamble(mark, place)}\n\nNothing was found.` : preamble(mark, place)
  const filled = fill(mark, versions, tokens - countTokens(head))
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
    dropped: new Set(versions.values()).size - shown.length,
  }
}
