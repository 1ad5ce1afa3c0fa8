import { findBestEvidence } from '../evidence/evidence.ts'
import type { Excerpt } from './excerpt.ts'

// What was found, put in order: passages of one document together, what says the same once, turns of a conversation one
// after the other.

type Span = { start: number; end: number }

const findSpan = ({ details }: Excerpt): Span => details.spans?.[0] ?? { start: 0, end: 0 }

/** Characters between two passages that follow each other, at most: nothing stood there but space. */
const maxGap = 3

/** Passages of one document, of which the best tells the rest, as one text with a sign where something is left out between. */
export const joinPassages = (best: Excerpt, parts: readonly Excerpt[]): Excerpt => {
  const spans: Span[] = []
  const texts: string[] = []
  for (const part of parts.toSorted((a, b) => findSpan(a).start - findSpan(b).start)) {
    const last = spans.at(-1)
    const { start, end } = findSpan(part)
    const follows = last !== undefined && start - last.end <= maxGap
    if (follows) last.end = end
    else spans.push({ start, end })
    texts.push(last === undefined || follows ? part.text : `[…]\n${part.text}`)
  }
  return { ...best, evidence: findBestEvidence(parts), text: texts.join('\n'), details: { spans } }
}

const shingleWords = 3

const toShingles = (text: string): Set<string> => {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
  const starts = words.slice(0, Math.max(1, words.length - shingleWords + 1))
  return new Set(starts.map((_word, at) => words.slice(at, at + shingleWords).join(' ')))
}

/** Of how much of a text's word triples others must have for it to say nothing more. */
const sameShare = 0.9

/** Leaves out what a better one says nearly word for word. Statements and records are never repeats. */
export const dropRepeated = (excerpts: readonly Excerpt[]): Excerpt[] => {
  const kept: Set<string>[] = []
  return excerpts.filter(({ type, text }) => {
    if (type !== 'document') return true
    const own = toShingles(text)
    const isRepeat = kept.some((other) => {
      if (own.size === 0 || own.size > other.size) return own.size === other.size
      return [...own].filter((shingle) => other.has(shingle)).length >= own.size * sameShare
    })
    if (!isRepeat) kept.push(own)
    return !isRepeat
  })
}

/** The messages of a conversation that follow each other, in their order. */
const toRuns = (turns: readonly Excerpt[]): Excerpt[][] => {
  const runs: Excerpt[][] = []
  for (const turn of turns.toSorted((a, b) => findPosition(a) - findPosition(b))) {
    const run = runs.at(-1)
    const before = run?.at(-1)
    if (run && before && findPosition(turn) - findPosition(before) <= 1) run.push(turn)
    else runs.push([turn])
  }
  return runs
}

const findPosition = ({ sequence }: Excerpt): number => sequence?.position ?? 0

/** Puts turns of one conversation that follow each other in their order, where the best of them stands. */
export const orderTurns = (excerpts: readonly Excerpt[]): Excerpt[] => {
  const turns = excerpts.filter(({ sequence }) => sequence !== null)
  const runs = [...Map.groupBy(turns, ({ sequence }) => sequence?.id).values()].flatMap(toRuns)
  const runByTurn = new Map(runs.flatMap((run) => run.map((turn) => [turn, run] as const)))
  return [...new Set(excerpts.flatMap((excerpt) => runByTurn.get(excerpt) ?? [excerpt]))]
}
