import type { MinEvidence, SearchMode } from '@noema/contracts/search.ts'
import type { Narrowing } from '../lexical-index/types.ts'

/** A search of one Brain or several. */
export type SearchRequest = Narrowing & {
  q: string
  mode: SearchMode
  limit: number
  /** The number of passages of a version that may be hits; one by default. */
  passagesEach?: number
  /** The part of `q` that asks, if the rest is earlier conversation. */
  question?: string | undefined
  /** Hits with less evidence are left out. */
  minEvidence?: MinEvidence | undefined
  /** True if a reranker orders the best ones. */
  isReranked?: boolean
}
