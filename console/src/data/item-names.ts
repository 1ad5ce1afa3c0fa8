import type { Client } from '@noema/sdk'
import { queryOptions, useQueries, useQuery } from '@tanstack/react-query'
import { type Session, useSession } from '../session/session.tsx'
import { createGatherer, createGatherers } from './gather.ts'
import { type ItemRef, itemTypes } from './item-paths.ts'

// The names of items that a page knows by id. Rows ask one by one; one call reads the names of all that ask at the same time.

/** The maximum of the service for one call. */
const maxItems = 500

const toKey = ({ type, id }: ItemRef): string => `${type} ${id}`

const toItem = (key: string): ItemRef => {
  const type = itemTypes.find((one) => key.startsWith(`${one} `)) ?? 'record'
  return { type, id: key.slice(type.length + 1) }
}

const askForName = createGatherers((client: Client, handle) =>
  createGatherer(async (keys) => {
    const { names } = await client.brain(handle).names({ items: keys.map(toItem) })
    return new Map(names.map((item) => [toKey(item), item.name]))
  }, maxItems),
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
