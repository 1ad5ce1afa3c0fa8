import { setImmediate } from 'node:timers/promises'
import type { QueryOutput, Result } from '@noema/contracts/endpoint.ts'
import type { searchBrain } from '@noema/contracts/search.ts'
import type { Clock } from '../../../shared/clock.ts'
import type { BrainRow } from '../../brain/brains/brains.ts'
import { foundBy } from '../lexical-index/lexical-index.ts'
import { leaveReceipt, type ReceiptBook, servedThings } from '../receipts/receipts.ts'
import { type Found, findRelevant, type SearchDeps } from './find-relevant.ts'
import { type Snippet, snippetOf } from './snippet.ts'

export { findRelevant, type SearchDeps } from './find-relevant.ts'
export type { Hit } from './read-hits.ts'

// Search finds versions by words, by meaning, or by both. The index and the vectors only propose: whether a version is live
// is read from its own row, in one statement with what is answered.

type Answer = Result<typeof searchBrain>
type FoundHit = Found['hits'][number]

const whyOf = ({ similarity, isLifted }: FoundHit, snippet: Snippet): Answer['results'][number]['why'] => [
  ...(snippet.words.length > 0 ? [{ reason: 'words' as const, words: snippet.words }] : []),
  ...(similarity === undefined ? [] : [{ reason: 'meaning' as const, similarity: rounded(similarity) }]),
  ...(isLifted ? [{ reason: 'neighbour' as const }] : []),
]

const rounded = (value: number): number => Math.round(value * 10_000) / 10_000

const resultOf = (hit: FoundHit, terms: ReadonlySet<string>): Answer['results'][number] => {
  const { type, id, kind, version, title, score, provenance } = hit
  const snippet = snippetOf(hit.text, terms, foundBy(hit.content))
  const start = hit.starts + snippet.start
  return {
    type,
    id,
    ...(kind === undefined ? {} : { kind }),
    version,
    title,
    snippet: snippet.text,
    highlights: snippet.highlights,
    ...(type === 'document' ? { span: { start, end: start + snippet.text.length } } : {}),
    score: rounded(score),
    why: whyOf(hit, snippet),
    provenance,
  }
}

/** Answers a search, and leaves a receipt of what it served. */
export const runSearch = async (
  deps: SearchDeps & { receipts: ReceiptBook; clock: Clock },
  brain: BrainRow,
  query: QueryOutput<typeof searchBrain>,
): Promise<Answer> => {
  const { hits, terms, mode, degraded, stateVersion } = await findRelevant(deps, brain, query)
  const reading = {
    consumerId: query.consumerId,
    operation: 'search' as const,
    stateVersion,
    served: servedThings(hits),
  }
  // The receipt is on its way to the disk while the answer is put together.
  const [receipt, results] = await Promise.all([
    leaveReceipt(deps, brain, reading),
    setImmediate(hits).then((found) => found.map((hit) => resultOf(hit, terms))),
  ])
  return { results, mode, ...(degraded.length > 0 ? { degraded } : {}), receipt, stateVersion }
}
