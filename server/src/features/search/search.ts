import type { QueryOutput, Result } from '@noema/contracts/endpoint.ts'
import type { searchBrain } from '@noema/contracts/search.ts'
import type { Clock } from '../../shared/clock.ts'
import type { BrainRow } from '../brains/brains.ts'
import { leaveReceipt, type ReceiptBook, servedThings } from '../receipts/receipts.ts'
import { type Found, findRelevant, type SearchDeps } from './find-relevant.ts'

export { findRelevant, type SearchDeps } from './find-relevant.ts'
export type { Hit } from './read-hits.ts'

// Search finds versions by words, by meaning, or by both. The index and the vectors only propose: whether a version is live
// is read from its own row, in one statement with what is answered.

type Answer = Result<typeof searchBrain>
type FoundHit = Found['hits'][number]

const whyOf = ({ snippet, similarity, isLifted }: FoundHit): Answer['results'][number]['why'] => [
  ...(snippet.words.length > 0 ? [{ reason: 'words' as const, words: snippet.words }] : []),
  ...(similarity === undefined ? [] : [{ reason: 'meaning' as const, similarity: rounded(similarity) }]),
  ...(isLifted ? [{ reason: 'neighbour' as const }] : []),
]

const rounded = (value: number): number => Math.round(value * 10_000) / 10_000

const resultOf = (hit: FoundHit): Answer['results'][number] => {
  const { type, id, kind, version, title, snippet, score, provenance } = hit
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
    why: whyOf(hit),
    provenance,
  }
}

/** Answers a search, and leaves a receipt of what it served. */
export const runSearch = async (
  deps: SearchDeps & { receipts: ReceiptBook; clock: Clock },
  brain: BrainRow,
  query: QueryOutput<typeof searchBrain>,
): Promise<Answer> => {
  const { hits, mode, degraded, stateVersion } = await findRelevant(deps, brain, query)
  const reading = {
    consumerId: query.consumerId,
    operation: 'search' as const,
    stateVersion,
    served: servedThings(hits),
  }
  return {
    results: hits.map(resultOf),
    mode,
    ...(degraded.length > 0 ? { degraded } : {}),
    receipt: await leaveReceipt(deps, brain, reading),
    stateVersion,
  }
}
