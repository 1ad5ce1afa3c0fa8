import type { Material } from './excerpt.ts'

// What was found, put in order: stretches of one document together, what says the same once, turns of a conversation one
// after the other.

type Span = { start: number; end: number }

const spanOf = ({ details }: Material): Span => details.spans?.[0] ?? { start: 0, end: 0 }

/** Characters between two stretches that follow each other: nothing stood there but space. */
const nextTo = 3

/** Stretches of one document, of which the best tells the rest, as one text with a sign where something is left out between. */
export const joinStretches = (best: Material, parts: readonly Material[]): Material => {
  const spans: Span[] = []
  const texts: string[] = []
  for (const part of parts.toSorted((a, b) => spanOf(a).start - spanOf(b).start)) {
    const last = spans.at(-1)
    const { start, end } = spanOf(part)
    const follows = last !== undefined && start - last.end <= nextTo
    if (follows) last.end = end
    else spans.push({ start, end })
    texts.push(last === undefined || follows ? part.text : `[…]\n${part.text}`)
  }
  return { ...best, text: texts.join('\n'), details: { spans } }
}

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
      if (own.size === 0 || own.size > other.size) return own.size === other.size
      return [...own].filter((shingle) => other.has(shingle)).length >= own.size * sameShare
    })
    if (!isRepeat) kept.push(own)
    return !isRepeat
  })
}

/** The turns of a conversation that follow each other, in their order. */
const runsOf = (turns: readonly Material[]): Material[][] => {
  const runs: Material[][] = []
  for (const turn of turns.toSorted((a, b) => positionOf(a) - positionOf(b))) {
    const run = runs.at(-1)
    const before = run?.at(-1)
    if (run && before && positionOf(turn) - positionOf(before) <= 1) run.push(turn)
    else runs.push([turn])
  }
  return runs
}

const positionOf = ({ sequence }: Material): number => sequence?.position ?? 0

/** Puts turns of one conversation that follow each other in their order, where the best of them stands. */
export const orderTurns = (materials: readonly Material[]): Material[] => {
  const turns = materials.filter(({ sequence }) => sequence !== null)
  const runs = [...Map.groupBy(turns, ({ sequence }) => sequence?.id).values()].flatMap(runsOf)
  const runOf = new Map(runs.flatMap((run) => run.map((turn) => [turn, run] as const)))
  return [...new Set(materials.flatMap((material) => runOf.get(material) ?? [material]))]
}
