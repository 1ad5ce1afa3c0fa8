import { type Reranker, RerankerUnavailable } from '../reranking/reranking.ts'
import type { Hit } from './results.ts'

/** The text of a hit that a reranker reads: its title and its passage. */
const toText = ({ title, text }: Hit): string => (text.startsWith(title) ? text : `${title}\n${text}`)

/** Hits in the order of a reranker; undefined while it is unavailable. */
export const rerankHits = async (
  reranker: Reranker,
  organizationId: string,
  { query, hits }: { query: string; hits: readonly Hit[] },
): Promise<Hit[] | undefined> => {
  if (hits.length === 0) return []
  try {
    const relevances = await reranker.rerank(organizationId, query, hits.map(toText))
    return hits
      .map((hit, index) => ({ ...hit, score: relevances[index] ?? 0, isReranked: true }))
      .toSorted((a, b) => b.score - a.score)
  } catch (error) {
    if (error instanceof RerankerUnavailable) return undefined
    throw error
  }
}
