import type { Client } from '@noema/sdk'
import { queryOptions, useQueries, useQuery } from '@tanstack/react-query'
import type { ItemRef } from '../items/paths.ts'
import { type Session, useSession } from '../session/session.tsx'
import { createGatherer, createGatherers } from './gather.ts'

// The names of items that a page knows by id. Rows ask one by one; one call reads the names of all that ask at the same time.

/** The maximum of the service for the ids of one type. */
const maxIds = 200

const toKey = ({ type, id }: ItemRef): string => `${type} ${id}`

const askForName = createGatherers((client: Client, handle) =>
  createGatherer(async (keys) => {
    const idsOf = (type: ItemRef['type']) =>
      keys.flatMap((key) => (key.startsWith(`${type} `) ? key.slice(type.length + 1) : []))
    const [records, statements, documents] = [idsOf('record'), idsOf('statement'), idsOf('document')]
    const found = await client.brain(handle).names({ records, statements, documents })
    return new Map([
      ...found.records.map(({ id, name }) => [toKey({ type: 'record', id }), name] as const),
      ...found.statements.map(({ id, name }) => [toKey({ type: 'statement', id }), name] as const),
      ...found.documents.map(({ id, name }) => [toKey({ type: 'document', id }), name] as const),
    ])
  }, maxIds),
)

/** The name of an item; null if the Brain never had it. */
export const itemNameQuery = ({ organization, client }: Session, handle: string, item: ItemRef) =>
  queryOptions({
    queryKey: [organization.id, 'brain', handle, 'names', item.type, item.id],
    queryFn: async () => (await askForName(client, handle)(toKey(item))) ?? null,
    staleTime: 60_000,
  })

/** The name of an item, or its id until the name is known. */
export const useItemName = (handle: string, item: ItemRef): string =>
  useQuery(itemNameQuery(useSession(), handle, item)).data ?? item.id

/** Names records in a text that needs them all; a record without a known name by its id. */
export const useRecordNames = (handle: string, ids: readonly string[]): ((id: string) => string) => {
  const session = useSession()
  const names = useQueries({
    queries: ids.map((id) => itemNameQuery(session, handle, { type: 'record', id })),
    combine: (found) => new Map(ids.map((id, index) => [id, found[index]?.data ?? id])),
  })
  return (id) => names.get(id) ?? id
}
