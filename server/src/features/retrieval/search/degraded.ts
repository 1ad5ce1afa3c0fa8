import type { degradation } from '@noema/contracts/search.ts'
import type { z } from 'zod'
import type { EmbeddingPace } from '../vectors/embedding-pace.ts'
import type { SearchedBrain, WithoutMeaning } from './open-brain.ts'

// The reasons for which an answer is incomplete, each with what the caller can do.

export type Degradation = z.infer<typeof degradation>

const notYetIndexed = (count: number): Degradation => ({
  reason: 'not_yet_indexed',
  message: `${count} of the newest changes ${count === 1 ? 'is' : 'are'} not searchable yet. Search again in a moment.`,
})

/** Seconds as people say them. */
const toDuration = (seconds: number): string =>
  seconds < 90
    ? `${seconds} ${seconds === 1 ? 'second' : 'seconds'}`
    : `${Math.round(seconds / 60).toLocaleString('en')} minutes`

/** `secondsLeft`: how long embedding them will take, where that is known. */
export const notYetEmbedded = (count: number, secondsLeft: number | null): Degradation => {
  const [passages, found] =
    count === 1
      ? ['1 passage is', 'it is found by its words alone']
      : [`${count} passages are`, 'they are found by their words alone']
  const next = secondsLeft === null ? 'Search again later.' : `Search again in about ${toDuration(secondsLeft)}.`
  return {
    reason: 'not_yet_embedded',
    message: `${passages} not embedded yet: meaning counts less in this ranking, and ${found}. ${next}`,
    secondsLeft,
  }
}

/** Names one of the items that could not be indexed; there may be more than are listed. */
const notSearchable = (items: readonly { type: string; id: string }[]): Degradation => ({
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

const noMeaning: Record<WithoutMeaning, string> = {
  off: 'The operator turned search by meaning off, so the results were found by words only.',
  unavailable:
    'The embedding model cannot be used for now, so the results were found by words only. Search again later.',
  changing:
    'The Brain is being embedded by another model than the other Brains, so its results were found by words only. Search again later.',
  late: 'The embedding model did not answer in time, so the results were found by words only. Search again in a moment.',
}

/** Says why the results were found by words only. */
const meaningUnavailable = (reason: WithoutMeaning): Degradation => ({
  reason: 'meaning_unavailable',
  message: noMeaning[reason],
})

/** Why the search of one Brain may be incomplete. `pending`: how many indexed passages have no vector yet. */
export const describeSearched = (
  { brain, lexical, semantic, noMeaning: reason }: SearchedBrain,
  pending: number,
  pace: EmbeddingPace | undefined,
): Degradation[] => {
  const { missing, unsearchable, unindexed } = lexical
  const unembedded = semantic === undefined ? 0 : pending + unindexed - semantic.addedCount
  return [
    ...(reason ? [meaningUnavailable(reason)] : []),
    ...(missing > 0 ? [notYetIndexed(missing)] : []),
    ...(unsearchable.length > 0 ? [notSearchable(unsearchable)] : []),
    ...(unembedded > 0 ? [notYetEmbedded(unembedded, pace?.secondsFor(brain.brainId, unembedded) ?? null)] : []),
  ]
}
