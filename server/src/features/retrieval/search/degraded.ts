import type { degradation } from '@noema/contracts/search.ts'
import type { z } from 'zod'

// The reasons for which an answer is incomplete, each with what the caller can do.

export type Degradation = z.infer<typeof degradation>

export const notYetIndexed = (count: number): Degradation => ({
  reason: 'not_yet_indexed',
  message: `${count} of the newest changes are not searchable yet. Search again in a moment.`,
})

/** Seconds as people say them. */
const toDuration = (seconds: number): string =>
  seconds < 90
    ? `${seconds} ${seconds === 1 ? 'second' : 'seconds'}`
    : `${Math.round(seconds / 60).toLocaleString('en')} minutes`

/** `secondsLeft`: how long embedding them will take, where that is known. */
export const notYetEmbedded = (count: number, secondsLeft: number | null): Degradation => ({
  reason: 'not_yet_embedded',
  message: `${count} ${count === 1 ? 'passage is' : 'passages are'} not embedded yet: meaning counts less in this ranking, and they are found by their words alone. ${secondsLeft === null ? 'Search again later.' : `Search again in about ${toDuration(secondsLeft)}.`}`,
  secondsLeft,
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

export const meaningTurnedOff: Degradation = {
  reason: 'meaning_unavailable',
  message: 'The operator turned search by meaning off, so the results were found by words only.',
}

export const meaningUnavailable: Degradation = {
  reason: 'meaning_unavailable',
  message: 'The embedding model did not answer in time, so the results were found by words only. Search again later.',
}
