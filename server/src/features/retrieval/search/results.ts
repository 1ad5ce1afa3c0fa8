import type { Result } from '@noema/contracts/endpoint.ts'
import type { searchBrain } from '@noema/contracts/search.ts'
import type { Judged } from '../evidence/evidence.ts'
import type { LivePassage, Snippet } from '../lexical-index/types.ts'
import type { Ranked } from './ranking.ts'

/** A version that was found by a passage. */
export type Hit = LivePassage &
  Pick<Ranked, 'score' | 'isLifted'> &
  Judged & {
    /** The searched Brain that it is from, by its place among all. */
    owner: number
    /** True if a reranker chose its position; `score` is the relevance that it returned. */
    isReranked?: boolean
  }

type Answered = Result<typeof searchBrain>['results'][number]

const round = (value: number): number => Math.round(value * 10_000) / 10_000

const explain = ({ similarity, isLifted, isReranked, score }: Hit, { words }: Snippet): Answered['why'] => [
  ...(words.length > 0 ? [{ reason: 'words' as const, words }] : []),
  ...(Number.isNaN(similarity) ? [] : [{ reason: 'meaning' as const, similarity: round(similarity) }]),
  ...(isLifted ? [{ reason: 'neighbour' as const }] : []),
  ...(isReranked ? [{ reason: 'reranked' as const, relevance: round(score) }] : []),
]

/** Returns hits as search results, each with its snippet. */
export const toResults = (hits: readonly Hit[], snippets: readonly Snippet[]): Answered[] =>
  snippets.flatMap((snippet, index) => {
    const hit = hits[index]
    if (!hit) return []
    const { type, id, kind, version, title, page, score, evidence, provenance } = hit
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
      ...(page === null ? {} : { page }),
      score: round(score),
      evidence,
      why: explain(hit, snippet),
      provenance,
    }
  })
