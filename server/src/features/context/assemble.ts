import type { ContextItem } from '@noema/contracts/context.ts'
import { frameItem, newMark, plain, preamble, quoted } from './frame.ts'
import type { Material } from './material.ts'
import { countTokens } from './tokens.ts'

// What was found becomes one text: stretches of one document together, what says the same once, as much as the budget holds,
// the best first.

const between = '\n[…]\n'

/** Puts the stretches of one version together, in the order of its text. The version comes where its best stretch does. */
export const joinStretches = (materials: readonly Material[]): Material[] =>
  [...Map.groupBy(materials, ({ type, id, version }) => `${type} ${version} ${id}`).values()].flatMap((parts) => {
    const [best] = parts
    if (!best || best.type !== 'document') return best ?? []
    const inOrder = parts.toSorted((a, b) => startOf(a) - startOf(b))
    const joined = inOrder.reduce((left, right) => {
      // Between stretches that follow each other nothing stood but space.
      const follows = startOf(right) - endOf(left) <= nextTo
      const spans = follows
        ? [...spansOf(left).slice(0, -1), { start: lastOf(left).start, end: endOf(right) }]
        : [...spansOf(left), ...spansOf(right)]
      return { ...left, text: `${left.text}${follows ? '\n' : between}${right.text}`, details: { ...left.details, spans } }
    })
    return { ...joined, score: best.score }
  })

/** Characters between two stretches that follow each other. */
const nextTo = 3

const spansOf = ({ details }: Material) => details.spans ?? []
const lastOf = (material: Material) => spansOf(material).at(-1) ?? { start: 0, end: 0 }
const startOf = (material: Material): number => spansOf(material)[0]?.start ?? 0
const endOf = (material: Material): number => lastOf(material).end

const shingleWords = 3

const shinglesOf = (text: string): Set<string> => {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
  const starts = words.slice(0, Math.max(1, words.length - shingleWords + 1))
  return new Set(starts.map((_word, at) => words.slice(at, at + shingleWords).join(' ')))
}

/** Of how much of a text's word triples others must have for it to say nothing more. */
const sameShare = 0.9

/** Leaves out what a better one says nearly word for word. Statements and records are never the same thing twice. */
export const dropRepeated = (materials: readonly Material[]): Material[] => {
  const kept: Set<string>[] = []
  return materials.filter(({ type, text }) => {
    if (type !== 'document') return true
    const own = shinglesOf(text)
    const isRepeat = kept.some((other) => {
      const shared = own.size > 0 && own.size <= other.size ? [...own].filter((shingle) => other.has(shingle)).length : 0
      return own.size === 0 ? other.size === 0 : shared / own.size >= sameShare
    })
    if (!isRepeat) kept.push(own)
    return !isRepeat
  })
}

/** Puts turns of one conversation that follow each other in their order, where the best of them stands. */
export const orderTurns = (materials: readonly Material[]): Material[] => {
  const placed = new Set<Material>()
  const byTurn = new Map(materials.flatMap((one) => (one.sequence ? [[turnName(one.sequence), one] as const] : [])))
  return materials.flatMap((material) => {
    if (placed.has(material)) return []
    const run = [material]
    const { sequence } = material
    for (const step of sequence ? [-1, 1] : [])
      for (let at = (sequence?.position ?? 0) + step; ; at += step) {
        const next = byTurn.get(turnName({ id: sequence?.id ?? '', position: at }))
        if (!next) break
        if (step < 0) run.unshift(next)
        else run.push(next)
      }
    for (const one of run) placed.add(one)
    return run
  })
}

const turnName = ({ id, position }: { id: string; position: number }): string => `${position} ${id}`

/** The least that is worth showing of an item that must be cut. */
const leastCut = 60

const cutSign = '\n[cut]'

/** The longest beginning of a text that fits, to the end of a word; undefined where too little would be left. */
const cutToFit = (text: string, tokens: number): string | undefined => {
  if (tokens < leastCut) return undefined
  let [fits, over] = [0, text.length]
  while (over - fits > 1) {
    const middle = Math.floor((fits + over) / 2)
    if (countTokens(text.slice(0, middle)) <= tokens) fits = middle
    else over = middle
  }
  const beginning = text.slice(0, fits).replace(/[\ud800-\udbff]$/, '')
  return beginning.slice(0, Math.max(beginning.search(/\s\S*$/), 0)) || beginning
}

type Place = { handle: string; stateVersion: number }
type Framing = { mark: string; item: number }

const framed = ({ mark, item }: Framing, { type, id, version, about, text }: Material): string =>
  frameItem(mark, item, { address: `${type} ${quoted(id)} version ${version}`, about, text })

type Shown = { material: Material; cut: boolean }

/** As many as the budget holds, the better before the others; one that is too long is cut where that leaves enough of it. */
const fill = (mark: string, materials: readonly Material[], budget: number): Shown[] => {
  let left = budget
  return materials.flatMap((material) => {
    // An item's number may grow when items are put in order, but by no more than its digits.
    const costOf = (one: Material) => countTokens(`\n\n${framed({ mark, item: 999 }, one)}`) + 1
    const cost = costOf(material)
    if (cost <= left) {
      left -= cost
      return [{ material, cut: false }]
    }
    const rest = left - costOf({ ...material, text: cutSign })
    for (let share = 1; share > 0.3; share *= 0.8) {
      const text = cutToFit(plain(material.text), Math.floor(rest * share))
      if (text === undefined) return []
      const cut = { ...material, text: text + cutSign }
      if (costOf(cut) > left) continue
      left -= costOf(cut)
      return [{ material: cut, cut: true }]
    }
    return []
  })
}

export type Assembled = { context: string; items: ContextItem[]; used: number; dropped: number }

/** Makes the context of what was found, best first, within a budget of tokens. */
export const assemble = (
  found: readonly Material[],
  { place, tokens, random }: { place: Place; tokens: number; random?: () => string },
): Assembled => {
  const materials = dropRepeated(joinStretches(found))
  const texts = materials.flatMap(({ id, about, text }) => [id, text, ...about])
  const mark = newMark(texts.map(plain), random)
  const head = found.length === 0 ? `${preamble(mark, place)}\n\nNothing was found.` : preamble(mark, place)
  const filled = fill(mark, materials, tokens - countTokens(head))
  const shown = orderTurns(filled.map(({ material }) => material))
  const blocks = shown.map((material, index) => framed({ mark, item: index + 1 }, material))
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
