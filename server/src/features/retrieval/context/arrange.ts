import { findBestEvidence } from '../evidence/evidence.ts'
import { type Excerpt, toPageNote } from './excerpt.ts'

// Orders excerpts: joins passages of one document, drops repetitions, and puts turns of a conversation in their order.

type Span = { start: number; end: number }

const findSpan = ({ details }: Excerpt): Span => details.spans?.[0] ?? { start: 0, end: 0 }

/** The maximum of characters between adjacent passages: only white space is between them. */
const maxGap = 3

/** Joins passages of one document to one text, with a mark for each gap. The best passage gives the other details. */
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
  const pages = [...new Set(parts.flatMap(({ details }) => details.pages ?? []))].sort((a, b) => a - b)
  const about = [...best.about.slice(0, best.details.pages ? -1 : undefined), ...toPageNote(pages)]
  const details = { spans, ...(pages.length === 0 ? {} : { pages }) }
  return { ...best, about, evidence: findBestEvidence(parts), text: texts.join('\n'), details }
}

const shingleWords = 3

const toShingles = (text: string): Set<string> => {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
  const starts = words.slice(0, Math.max(1, words.length - shingleWords + 1))
  return new Set(starts.map((_word, at) => words.slice(at, at + shingleWords).join(' ')))
}

/** The share of a text's word triples that another must have for the text to be a repetition. */
const sameShare = 0.9

/** Drops texts that a better one repeats nearly word for word. Statements and records are never dropped. */
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

/** Puts adjacent turns of one conversation in their order, at the position of the best of them. */
export const orderTurns = (excerpts: readonly Excerpt[]): Excerpt[] => {
  const turns = excerpts.filter(({ sequence }) => sequence !== null)
  const runs = [...Map.groupBy(turns, ({ owner = 0, sequence }) => `${owner} ${sequence?.id}`).values()].flatMap(toRuns)
  const runByTurn = new Map(runs.flatMap((run) => run.map((turn) => [turn, run] as const)))
  return [...new Set(excerpts.flatMap((excerpt) => runByTurn.get(excerpt) ?? [excerpt]))]
}
