import type { degradation } from '@noema/contracts/search.ts'
import type { z } from 'zod'

// The reasons for which an answer is incomplete, each with what the caller can do.

export type Degradation = z.infer<typeof degradation>

export const notYetIndexed = (count: number): Degradation => ({
  reason: 'not_yet_indexed',
  message: `${count} of the newest changes are not searchable yet. Search again in a moment.`,
})

export const notYetEmbedded = (count: number): Degradation => ({
  reason: 'not_yet_embedded',
  message: `${count} passages can only be found by their words until they are embedded. Search again later.`,
})

/** Names one of the items that could not be indexed; there may be more than are listed. */
export const notSearchable = (items: readonly { type: string; id: string }[]): Degradation => ({
  reason: 'not_searchable',
  message: `${items.length === 1 ? '1 item' : `${items.length} items`} could not be indexed and cannot be found: ${items[0]?.type} ${JSON.stringify(items[0]?.id)}${items.length === 1 ? '' : ' and others'}. Read what you know of by its id.`,
})

export const notAllExamined: Degradation = {
  reason: 'not_all_examined',
  message:
    'There were more matches than the search examines, and most of those examined cannot be returned. Narrow the search.',
}

export const notReranked: Degradation = {
  reason: 'not_reranked',
  message: 'No reranker is available, so the results are in the order of the search itself.',
}

export const meaningUnavailable: Degradation = {
  reason: 'meaning_unavailable',
  message: 'There is no embedding model, or it did not answer in time, so the results were found by words only.',
}
