import { chooseQuotes, listSentences, type Quote, rankSentences } from './choose-quotes.ts'
import { hasTerm, listCandidates, toPart } from './quoting/candidates.ts'
import { chooseBlocks } from './quoting/choose-blocks.ts'
import { createPause, type Pause } from './quoting/pacing.ts'
import { type Question, readQuestion } from './quoting/question.ts'
import { rankBlocks } from './quoting/rank-blocks.ts'
import { chooseFields } from './quoting/record-fields.ts'
import type { Found } from './read-found.ts'

// The quotes that answer a question: the field of a record that it names, else the block of a document or the statement that has
// its words, else prose of records.

/** The share of a question's words that a record has to have, if it is quoted for its sentences. */
const minShare = 0.7

/** True for a line of prose; false for a bare value or the title of the record. */
const isProse = (text: string): boolean =>
  /^(?!(?:title|name|label|subject|summary): )[^:]{1,60}: (?:\S+\s+){3}\S/.test(text)

/** Records that are quoted for their sentences, at most. */
const maxProse = 5

/** Chooses the prose of records, such as a symptom and its resolution. */
const chooseProse = async (
  found: readonly Found[],
  text: string,
  { question: { terms }, pause }: { question: Question; pause: Pause },
): Promise<Quote[]> => {
  const main = terms.filter(({ weight }) => weight >= 1)
  const prose: Found[] = []
  for (const one of found) {
    if (one.type !== 'record' || main.length === 0 || prose.length === maxProse) continue
    const part = toPart(one.text)
    if (main.filter((term) => hasTerm(part, term)).length >= main.length * minShare) prose.push(one)
    await pause()
  }
  const quotes = chooseQuotes(rankSentences(listSentences(prose), { question: text, earlier: '' }))
  return quotes[0] && isProse(quotes[0].text) ? quotes : []
}

/** Chooses what is quoted as the answer to a question; nothing where nothing plainly answers. */
export const quoteAnswer = async (found: readonly Found[], question: string): Promise<Quote[]> => {
  const pause = createPause()
  const asked = readQuestion(question)
  if (asked.terms.length === 0) return []
  const fields = await chooseFields(found, asked, pause)
  if (fields.length > 0) return fields
  const candidates = await listCandidates(found, pause)
  const ranked = await rankBlocks(candidates, asked, pause)
  const blocks = chooseBlocks(ranked, candidates, asked)
  return blocks.length > 0 ? blocks : chooseProse(found, question, { question: asked, pause })
}
