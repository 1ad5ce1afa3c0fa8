import { tokenize } from '../../../../features/retrieval/terms/terms.ts'
import type { Found } from '../read-found.ts'
import type { Block } from './blocks.ts'
import { readBlocks } from './blocks.ts'
import type { Pause } from './pacing.ts'
import { hasIdentifier, type Question, type Term } from './question.ts'

// The blocks of what was found as candidates for an answer, each with the terms of its parts.

/** A text in lower case with its terms. */
export type Part = { text: string; terms: ReadonlySet<string> }

export type Candidate = {
  from: Found
  block: Block
  own: Part
  /** The nearest heading, what is above that, and the title of the item. */
  heading: Part
  above: Part
  title: Part
  /** The terms of everything below the same heading. */
  section: Set<string>
}

const target = /\]\([^()\s]{0,500}\)/g

/** Makes a part of a text. The target of a link does not count: its words are those of another text. */
export const toPart = (text: string): Part => {
  const words = text.replaceAll(target, ']')
  return { text: words.toLowerCase(), terms: new Set([...tokenize(words)].map(({ term }) => term)) }
}

const emptyPart = toPart('')

/** Makes candidates of the blocks of one item. Parts that blocks share are made once. */
const createBuilder = (from: Found) => {
  const parts = new Map<string, Part>()
  const sections = new Map<string, Set<string>>()
  const share = (text: string): Part => {
    const part = text === '' ? emptyPart : (parts.get(text) ?? toPart(text))
    parts.set(text, part)
    return part
  }
  // An id may be a path: its last part names the document.
  const title = toPart(`${from.title} ${from.type === 'document' ? (from.id.split('/').at(-1) ?? '') : ''}`)
  return (block: Block): Candidate => {
    const own = toPart(block.text)
    const path = block.headings.join('\n')
    const section = sections.get(path) ?? new Set()
    sections.set(path, section)
    for (const term of own.terms) section.add(term)
    const above = [...block.headings.slice(0, -1), ...block.above].join('\n')
    return { from, block, own, heading: share(block.headings.at(-1) ?? ''), above: share(above), title, section }
  }
}

/** The maximum of blocks that are compared. */
const maxCandidates = 6_000

/** The candidates of items, in their order. Text of records is read by their fields elsewhere. */
export const listCandidates = async (found: readonly Found[], pause: Pause): Promise<Candidate[]> => {
  const candidates: Candidate[] = []
  for (const from of found) {
    if (from.type === 'record') continue
    const build = createBuilder(from)
    for (const blocks of readBlocks(from.text)) {
      for (const block of blocks) {
        if (candidates.length === maxCandidates) return candidates
        candidates.push(build(block))
        await pause()
      }
      await pause()
    }
  }
  return candidates
}

/** Checks whether a part has a term of a question. */
export const hasTerm = ({ text, terms }: Part, { term, isIdentifier }: Term): boolean =>
  isIdentifier ? hasIdentifier(text, term) : terms.has(term)

/** The share of a term that counts, by its position. */
const shares = { own: 1, heading: 1, above: 0.85, title: 0.7, section: 0.35 } as const

/** The share of a term that counts for a block: all of it where the block or its heading has it, less where something farther has. */
const findShare = (candidate: Candidate, term: Term): number => {
  if (hasTerm(candidate.own, term)) return shares.own
  if (hasTerm(candidate.heading, term)) return shares.heading
  if (hasTerm(candidate.above, term)) return shares.above
  if (hasTerm(candidate.title, term)) return shares.title
  return !term.isIdentifier && candidate.section.has(term.term) ? shares.section : 0
}

/** Blocks that are added to those that there are: among a few blocks each word looks rare or common by chance. */
const assumedBlocks = 30

type Weights = ReadonlyMap<Term, number>

/** The weight of each term: the rarer among the blocks, the more. */
export const weighTerms = async (
  candidates: readonly Candidate[],
  { terms }: Question,
  pause: Pause,
): Promise<Weights> => {
  const counts = new Map(terms.map((term) => [term, 0.5]))
  for (const { own, heading } of candidates) {
    for (const term of terms)
      if (hasTerm(own, term) || hasTerm(heading, term)) counts.set(term, (counts.get(term) ?? 0) + 1)
    await pause()
  }
  const all = candidates.length + assumedBlocks
  return new Map(terms.map((term) => [term, term.weight * Math.log(all / (counts.get(term) ?? 1))]))
}

/** The share of a question's words that a block covers, by their weights; 0 where it lacks an identifier. */
export const measureCoverage = (candidate: Candidate, weights: Weights): number => {
  let [sum, total] = [0, Number.MIN_VALUE]
  for (const [term, weight] of weights) {
    total += weight
    const share = findShare(candidate, term)
    if (share === 0 && term.isIdentifier) return 0
    sum += weight * share
  }
  return sum / total
}
