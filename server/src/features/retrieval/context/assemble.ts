import type { ContextItem } from '@noema/contracts/context.ts'
import type { Evidence } from '@noema/contracts/search.ts'
import { findBestEvidence } from '../evidence/evidence.ts'
import { dropRepeated, joinPassages, orderTurns } from './arrange.ts'
import type { Excerpt } from './excerpt.ts'
import { frameItems, newMark, type Origin, preamble } from './frame.ts'
import { countTokensOfEach } from './tokens.ts'

// Assembles one text from excerpts: as many as fit in the budget, the best first.

/** The minimum of characters of a text that is worth showing. */
const minCut = 150

const cutSign = '\n[cut]'

/** An excerpt with the beginning of its text, to the end of a word. It has no spans: the cut is not the end of a passage. */
const cutAt = (excerpt: Excerpt, length: number): Excerpt => {
  const { spans, ...details } = excerpt.details
  const beginning = excerpt.text.slice(0, length)
  const end = Math.max(beginning.lastIndexOf(' '), beginning.lastIndexOf('\n'))
  return { ...excerpt, text: (end > length / 2 ? beginning.slice(0, end) : beginning) + cutSign, details }
}

/** The excerpt with the longest beginning of its text that fits; undefined where that would be too little. */
const cutToFit = (excerpt: Excerpt, fits: (cut: Excerpt) => boolean): Excerpt | undefined => {
  let [fitting, over] = [0, excerpt.text.length]
  while (over - fitting > 1) {
    const middle = Math.floor((fitting + over) / 2)
    if (fits(cutAt(excerpt, middle))) fitting = middle
    else over = middle
  }
  return fitting < minCut ? undefined : cutAt(excerpt, fitting)
}

/** The highest number of an item. Items are numbered once they are in order, so the price of each includes this number. */
const maxNumber = 999

/** The text that excerpts add to a context as items. */
const toItemTexts = (mark: string, excerpts: readonly Excerpt[]): string[] =>
  frameItems(mark, excerpts, maxNumber).map((framed) => `\n\n${framed}`)

/** The shown part of one version: its passages, the best first, and all as one excerpt. */
type Shown = { parts: readonly Excerpt[]; whole: Excerpt; cost: number; cut: boolean }

/** The shown part with one more passage; undefined where that adds nothing. */
const addPassage = ({ parts, cut }: Shown, passage: Excerpt): Pick<Shown, 'parts' | 'whole'> | undefined => {
  const [best] = parts
  if (!best || cut || passage.type !== 'document') return undefined
  return { parts: [...parts, passage], whole: joinPassages(best, [...parts, passage]) }
}

/** The tokens of a context, and the text before its items. */
type Budget = { head: string; tokens: number }

/**
 * As many passages as fit in the budget, the better first, so that no long text takes the space of better passages; the first passage
 * of a version is cut if it is too long and enough of it would be left.
 */
const fill = (mark: string, versions: ReadonlyMap<Excerpt, string>, { head, tokens }: Budget): Shown[] => {
  const firsts = [...Map.groupBy(versions.keys(), (passage) => versions.get(passage)).values()].flatMap(
    ([first]) => first ?? [],
  )
  const [headTokens = 0, ...prices] = countTokensOfEach([head, ...toItemTexts(mark, firsts)])
  const costs = new Map(firsts.map((first, index) => [first, prices[index]]))
  const price = (excerpt: Excerpt): number =>
    costs.get(excerpt) ?? countTokensOfEach(toItemTexts(mark, [excerpt]))[0] ?? 0
  const all = new Map<string, Shown>()
  let left = tokens - headTokens
  for (const [passage, version] of versions) {
    const before = all.get(version)
    const longer = before ? addPassage(before, passage) : { parts: [passage], whole: passage }
    if (!longer) continue
    const room = left + (before?.cost ?? 0)
    const cost = price(longer.whole)
    const cut = before || cost <= room ? undefined : cutToFit(passage, (shorter) => price(shorter) <= room)
    const shown = cut ? { parts: [passage], whole: cut, cost: price(cut), cut: true } : { ...longer, cost, cut: false }
    if (shown.cost > room) continue
    left = room - shown.cost
    all.set(version, shown)
  }
  return [...all.values()]
}

const toVersionKey = ({ owner = 0, type, version, id }: Excerpt): string => `${owner} ${type} ${version} ${id}`

/** The passages of the best few versions, each with the key of its version. */
const limitVersions = (found: readonly Excerpt[], limit: number): Map<Excerpt, string> => {
  const named = found.map((passage) => [passage, toVersionKey(passage)] as const)
  const best = new Set([...new Set(named.map(([, version]) => version))].slice(0, limit))
  return new Map(named.filter(([, version]) => best.has(version)))
}

export type Assembled = {
  context: string
  items: ContextItem[]
  /** The excerpts of the items, in their order. */
  shown: Excerpt[]
  evidence: Evidence
  used: number
  dropped: number
}

const nothingAnswers = 'Nothing here seems to answer this.'
const mayNotAnswer = 'These findings may not answer this: they fit the question only in part.'

/** The context of a search without hits. */
const assembleNothing = (): Assembled => {
  const [used = 0] = countTokensOfEach([nothingAnswers])
  return { context: nothingAnswers, items: [], shown: [], evidence: 'none', used, dropped: 0 }
}

/** Makes a context of excerpts, the best first, within a budget of tokens. */
export const assemble = (
  found: readonly Excerpt[],
  { origin, tokens, limit, random }: { origin: Origin; tokens: number; limit: number; random?: () => string },
): Assembled => {
  if (found.length === 0) return assembleNothing()
  const best = findBestEvidence(found)
  const versions = limitVersions(dropRepeated(found), limit)
  const mark = newMark([...versions.keys()], random)
  const head = `${best === 'strong' ? '' : `${mayNotAnswer}\n\n`}${preamble(mark, origin)}`
  const filled = fill(mark, versions, { head, tokens })
  const shown = orderTurns(filled.map(({ whole }) => whole))
  const blocks = frameItems(mark, shown)
  const cut = new Set(filled.flatMap((one) => (one.cut ? one.whole : [])))
  const context = [head, ...blocks].join('\n\n')
  const [used = 0, ...each] = countTokensOfEach([context, ...blocks])
  return {
    context,
    shown,
    // The best excerpt may not have fit.
    evidence: shown.length > 0 && shown.length < found.length ? findBestEvidence(shown) : best,
    items: shown.map((excerpt, index) => {
      const { type, id, kind, version, title, score, evidence, details } = excerpt
      const about = { type, id, ...(kind === undefined ? {} : { kind }), version, title, score, evidence, ...details }
      return { item: index + 1, ...about, tokens: each[index] ?? 0, cut: cut.has(excerpt) }
    }),
    used,
    dropped: new Set(versions.values()).size - shown.length,
  }
}
