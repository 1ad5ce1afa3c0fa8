import type { OrganizationChange } from '@noema/contracts/organization-changes.ts'
import { queryOptions } from '@tanstack/react-query'
import type { IconName } from '../components/icon.tsx'
import { itemPath } from '../data/item-paths.ts'
import { toQuestion, toQuestionLine } from '../data/questions.ts'
import { consumerId } from '../data/records.ts'
import type { Session } from '../session/session.tsx'

// The search of the palette by content. Each text asks for a bounded part: the best items of the open Brain, and the newest runs
// and changes.

/** Something that the palette opens: its name, and what it is. */
export type Found = { to: string; name: string; sort: string; icon: IconName }

/** A shorter text finds too much. */
export const minSearched = 2
const maxItems = 8
const maxRuns = 6
const maxChanges = 6
/** The number of changes that are looked at, and of runs as the contract has it. */
export const searchedChanges = 100
export const searchedRuns = 2_000

/** The records, documents and statements of a Brain that have the words of a text. */
export const foundItemsQuery = ({ organization, client }: Session, handle: string | undefined, q: string) =>
  queryOptions({
    queryKey: [organization.id, 'palette', 'items', handle, q],
    queryFn: async ({ signal }): Promise<Found[]> => {
      if (handle === undefined) return []
      const { results } = await client
        .brain(handle)
        .search({ q, mode: 'lexical', limit: maxItems, consumerId }, { signal })
      return results
        .filter(({ evidence }) => evidence !== 'none')
        .map((hit) => ({
          to: itemPath(handle, hit),
          name: hit.title || hit.id,
          sort: hit.type === 'record' ? (hit.kind ?? 'record') : hit.type,
          icon: hit.type === 'document' ? 'document' : hit.type === 'statement' ? 'link' : 'record',
        }))
    },
    enabled: handle !== undefined && q.length >= minSearched,
    staleTime: 30_000,
    // Each search stores a receipt.
    refetchOnWindowFocus: false,
  })

/** The newest runs that were asked something with all words of a text. */
export const foundRunsQuery = ({ organization, client }: Session, text: string) =>
  queryOptions({
    queryKey: [organization.id, 'palette', 'runs', text],
    queryFn: async ({ signal }): Promise<Found[]> => {
      const { runs } = await client.runs.list({ text: text.slice(0, 200), order: 'desc', limit: maxRuns }, { signal })
      return runs.map((run) => ({
        ...{ to: `/runs/${run.runId}`, name: toQuestionLine(toQuestion(run)), sort: `Run, ${run.state}` },
        icon: 'play',
      }))
    },
    enabled: text.length >= minSearched,
    staleTime: 30_000,
    refetchOnWindowFocus: false,
  })

/** The newest changes of all Brains, to be searched here. */
export const searchedChangesQuery = ({ organization, client }: Session, isOn: boolean) =>
  queryOptions({
    queryKey: [organization.id, 'palette', 'changes'],
    queryFn: async ({ signal }) =>
      (await client.changes.list({ order: 'desc', limit: searchedChanges }, { signal })).changes,
    enabled: isOn,
    staleTime: 30_000,
  })

const listWords = ({ reason, targets, brain, stagedByName, id, operations }: OrganizationChange): string =>
  [
    reason,
    id,
    brain.handle,
    stagedByName,
    ...Object.keys(operations),
    ...targets.flatMap((target) => [target.id, target.kind]),
  ]
    .join(' ')
    .toLowerCase()

/** The changes whose reason, items, Brain or author have all words of a text. */
export const findChanges = (changes: readonly OrganizationChange[], text: string): Found[] => {
  const words = text.toLowerCase().split(/\s+/)
  return changes
    .filter((change) => {
      const said = listWords(change)
      return words.every((word) => said.includes(word))
    })
    .slice(0, maxChanges)
    .map(({ id, brain, reason, targets, decision }) => ({
      to: `/brains/${brain.handle}/changes/${id}`,
      name: reason ?? targets.map((target) => target.id).join(', ') ?? id,
      sort: `Change, ${decision}`,
      icon: 'review',
    }))
}
