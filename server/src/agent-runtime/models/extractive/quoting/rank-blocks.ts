import { tokenize } from '../../../../features/retrieval/terms/terms.ts'
import { splitStatements } from '../sentences.ts'
import { fitsForms, mentionsCount } from './answer-form.ts'
import { type Candidate, hasTerm, measureCoverage, toPart, weighTerms } from './candidates.ts'
import { findDefault } from './defaults.ts'
import { beginsWith, findNaming, type Naming } from './naming.ts'
import type { Pause } from './pacing.ts'
import type { Question } from './question.ts'

// Ranks blocks by how well they answer a question: by the share of its words that they, the headings above them and the title of
// their item have, the rarer the more. Only words count, and the same texts always get the same ranks.

/** `naming`: how far its name, or the heading above it, is what the question asks about. */
export type RankedBlock = { candidate: Candidate; coverage: number; naming: number; score: number }

const nearness = 4

/** The share of neighbours in the question that are near each other in a text; 1 where a question has none. */
const measureNearness = (text: string, { terms }: Question): number => {
  const places = Map.groupBy(
    [...tokenize(text)].map(({ term }, at) => ({ term, at })),
    ({ term }) => term,
  )
  const main = terms.filter(({ weight, isIdentifier }) => weight >= 1 && !isIdentifier)
  const pairs = main.slice(1).map((term, index) => [main[index]?.term ?? '', term.term] as const)
  const near = pairs.filter(([a, b]) =>
    places.get(a)?.some(({ at }) => places.get(b)?.some((other) => Math.abs(other.at - at) <= nearness)),
  )
  return pairs.length === 0 ? 1 : near.length / pairs.length
}

/** A heading or a name with this share of what is asked is that of the answer. */
const minNaming = 0.5
/** An explanation is below a heading that has little else, or begins with what it explains. */
const minExplainedNaming = 0.7

const instruction =
  /(?<!\b(?:automatically|not|be|been|is|are|was|were) )\b(?:call|use|using|set|pass|add|run|create|register|install|enable|provide|import|increase|avoid|check|replace|configure|define|we recommend|you (?:can|may|must|should|need))s?\b/i
const code = /`[^`\n]+`|\w\(|(?<!\S)\d/

/** Checks whether a text says what to do, with code. */
const instructs = (text: string, hasCode: boolean): boolean => instruction.test(text) && (hasCode || code.test(text))

/**
 * Checks whether one statement has all that the block has of the question, so that no two sentences only seem to answer. `near`: the
 * nearness of the block's text, which has the forms of the question.
 */
const answers = ({ block, own, above }: Candidate, question: Question, near: number): boolean => {
  const isInstruction = (text: string) =>
    !question.forms.has('instructions') || instructs(text, block.code !== undefined)
  const statements = [...splitStatements(block.text.replaceAll(/\s+/g, ' '))]
  if (statements.length === 1) return near > 0 && isInstruction(block.text)
  const said = question.terms.filter((term) => term.weight >= 1 && hasTerm(own, term))
  return statements.some((sentence) => {
    const part = toPart(sentence)
    return (
      said.every((term) => hasTerm(part, term)) &&
      measureNearness(sentence, question) > 0 &&
      fitsForms(question, sentence, above.text) &&
      isInstruction(sentence)
    )
  })
}

/** Checks whether the value of a default comes after what has it. The value in "Default: `5`. See `timeout`." is another's. */
const hasDefault = ({ block, own }: Candidate, question: Question): boolean => {
  const part = toPart(findDefault(block.text, question) ?? '')
  const said = question.topic.filter((term) => hasTerm(own, term))
  return said.length === 0 || said.some((term) => hasTerm(part, term))
}

/** Checks whether a block is about the subject of the question, and does not only mention it. */
const isAbout = (candidate: Candidate, question: Question, naming: Naming, near: number): boolean => {
  const { forms, terms } = question
  const named = Math.max(naming.heading, naming.own)
  const main = terms.filter(({ weight }) => weight >= 1)
  // One word is soon mentioned, but not with its place.
  if (main.length === 1 && named < minNaming && !forms.has('place') && !beginsWith(candidate, question)) return false
  if (forms.has('explanation')) return naming.heading >= minExplainedNaming || beginsWith(candidate, question)
  if (named >= minNaming) return !forms.has('instructions') || instruction.test(candidate.block.text)
  if (forms.has('reason')) return false
  if (candidate.block.kind === 'row') return true
  return forms.has('default') ? hasDefault(candidate, question) : answers(candidate, question, near)
}

const longText = 500

/** The score of a block in addition to its words and its name. */
const measureBonus = (candidate: Candidate, question: Question, { heading }: Naming, near: number): number => {
  const { forms, terms } = question
  const { block } = candidate
  const explains = forms.has('explanation')
  // Below the heading of what is explained, the first paragraph says what it is.
  const isNamed = explains && heading >= minExplainedNaming
  const first = explains && block.kind === 'paragraph' ? 0.15 / (1 + block.order) : 0
  const answers =
    (forms.has('instructions') && instructs(block.text, block.code !== undefined)) ||
    (forms.has('count') && mentionsCount(question, block.text))
  const length = Math.max(0, Math.log2(block.text.length / longText)) * 0.05
  return (terms.length > 1 && !isNamed ? near * 0.15 : 0) + first + (answers ? 0.1 : 0) - length
}

/** A block with its score; undefined where it has not the form of an answer, or only mentions what is asked. */
const rankOne = (candidate: Candidate, coverage: number, question: Question): RankedBlock | undefined => {
  const { block, above } = candidate
  if (onlyLinks(block.text) || !fitsForms(question, block.text, above.text)) return undefined
  const naming = findNaming(candidate, question)
  const near = measureNearness(block.text, question)
  if (!isAbout(candidate, question, naming, near)) return undefined
  const named = Math.max(naming.heading, naming.own)
  return {
    candidate,
    coverage,
    naming: named,
    score: coverage + named * 0.3 + measureBonus(candidate, question, naming, near),
  }
}

const onlyLinks = (text: string): boolean =>
  !/[\p{L}\p{N}]/u.test(text.replaceAll(/\[[^\]]{0,300}\]\([^)]{0,500}\)/g, ''))

/** A block is compared further if it covers so much of the question. */
const minCoverage = 0.7
const maxCompared = 80

/** The blocks that may answer a question, the best first. */
export const rankBlocks = async (
  candidates: readonly Candidate[],
  question: Question,
  pause: Pause,
): Promise<RankedBlock[]> => {
  const weights = await weighTerms(candidates, question, pause)
  const covering: { candidate: Candidate; coverage: number }[] = []
  for (const candidate of candidates) {
    const coverage = measureCoverage(candidate, weights)
    if (coverage >= minCoverage) covering.push({ candidate, coverage })
    await pause()
  }
  const ranked: RankedBlock[] = []
  for (const { candidate, coverage } of covering.sort((a, b) => b.coverage - a.coverage).slice(0, maxCompared)) {
    const one = rankOne(candidate, coverage, question)
    if (one) ranked.push(one)
    await pause()
  }
  return ranked.sort((a, b) => b.score - a.score)
}
