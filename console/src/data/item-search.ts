import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { Session } from '../session/session.tsx'
import type { ItemRef } from './item-paths.ts'
import { toRecordName } from './record-text.ts'
import { consumerId } from './records.ts'

/** An item to choose, by name. */
export type FoundItem = { id: string; name: string; kind: string | undefined }

const maxFound = 10

/** The newest items, to choose from before anything is typed. */
const listNewest = async ({ client }: Session, handle: string, type: 'record' | 'document', signal: AbortSignal) => {
  const page = { limit: maxFound, order: 'desc' } as const
  if (type === 'record') {
    const { records } = await client.brain(handle).records.list(page, { signal })
    return records.map((record): FoundItem => ({ id: record.id, name: toRecordName(record), kind: record.kind }))
  }
  const { documents } = await client.brain(handle).documents.list(page, { signal })
  return documents.map(({ id, title }): FoundItem => ({ id, name: title ?? id, kind: undefined }))
}

/** An item by its exact id. */
const findById = async ({ client }: Session, handle: string, item: ItemRef): Promise<FoundItem[]> => {
  const { names } = await client.brain(handle).names({ items: [item] })
  return names.map(({ id, name, kind }) => ({ id, name, kind }))
}

/** Records or documents that someone may mean by a text: their name, words in them, or their id. */
export const itemSearchQuery = (session: Session, handle: string, type: 'record' | 'document', text: string) =>
  queryOptions({
    queryKey: [session.organization.id, 'brain', handle, 'search', 'items', type, text],
    queryFn: async ({ signal }): Promise<FoundItem[]> => {
      if (text === '') return listNewest(session, handle, type, signal)
      const query = { q: text, types: [type], limit: maxFound, mode: 'lexical', consumerId } as const
      const [exact, { results }] = await Promise.all([
        findById(session, handle, { type, id: text }),
        session.client.brain(handle).search(query, { signal }),
      ])
      const found = results.map(({ id, title, kind }): FoundItem => ({ id, name: title, kind }))
      return [...exact, ...found.filter(({ id }) => id !== text)]
    },
    staleTime: 30_000,
    placeholderData: keepPreviousData,
  })
