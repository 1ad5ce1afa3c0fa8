import type { Item, SearchItem, SearchOperation } from '@langchain/langgraph-checkpoint'
import type { BrainClient } from '@noema/sdk'
import { NoemaError, NotFoundError } from '@noema/sdk/errors'
import { makeFilter } from './store-filter.ts'
import { type Address, inNamespace, readItem, toNamespaceId } from './store-records.ts'

/** The most results of one search of a Brain, and the most records of a page. */
const maxHits = 100
const maxPage = 500

/** Every item under a prefix by its id, which follows namespace and key. Throws a `NoemaError` beyond `maxRead` items. */
export async function* listItems(
  brain: BrainClient,
  { kind, maxRead }: Address,
  prefix: readonly string[],
): AsyncGenerator<Item> {
  const under = prefix.length === 0 ? {} : { linksTo: toNamespaceId(kind, prefix), predicate: inNamespace }
  let read = 0
  for await (const record of brain.records.list({ kind, limit: maxPage, ...under })) {
    if (++read > maxRead)
      throw new NoemaError(
        `More than ${maxRead} items are under ${JSON.stringify(prefix)}. Give a longer prefix, a query or a smaller offset, or raise maxRead.`,
      )
    const item = readItem(record)
    if (item) yield item
  }
}

const readFound = async (brain: BrainClient, id: string): Promise<Item | undefined> => {
  try {
    return readItem((await brain.records.get(id)).record)
  } catch (error) {
    // It was deleted after the search found it.
    if (error instanceof NotFoundError) return undefined
    throw error
  }
}

type Search = { prefix: readonly string[]; query: string; enough: number; matches: (item: Item) => boolean }

const toPath = ({ namespace, key }: Item): string => JSON.stringify([namespace, key])

/** The best items for a query, and then, where the best of the Brain are mostly elsewhere, the others under the prefix. */
const findByQuery = async (
  brain: BrainClient,
  address: Address,
  { prefix, query, enough, matches }: Search,
): Promise<SearchItem[]> => {
  const { kind } = address
  const { results } = await brain.search({ q: query, kinds: [kind], types: ['record'], limit: maxHits })
  const below = toNamespaceId(kind, prefix)
  const hits = results.filter(({ id }) => id.startsWith(below))
  const found: SearchItem[] = []
  while (hits.length > 0 && found.length < enough) {
    const next = hits.splice(0, enough - found.length)
    const items = await Promise.all(next.map(({ id }) => readFound(brain, id)))
    for (const [index, item] of items.entries())
      if (item && matches(item)) found.push({ ...item, score: next[index]?.score ?? 0 })
  }
  if (results.length < maxHits || found.length >= enough) return found
  const paths = new Set(found.map(toPath))
  for await (const item of listItems(brain, address, prefix)) {
    if (found.length >= enough) break
    if (matches(item) && !paths.has(toPath(item))) found.push(item)
  }
  return found
}

/** Searches under a prefix: by words and meaning with a query, by id without one. */
export const searchItems = async (
  brain: BrainClient,
  address: Address,
  { namespacePrefix: prefix, query, filter, limit = 10, offset = 0 }: SearchOperation,
): Promise<SearchItem[]> => {
  const matches = makeFilter(filter)
  const enough = offset + limit
  if (query !== undefined && query.trim() !== '')
    return (await findByQuery(brain, address, { prefix, query, enough, matches })).slice(offset)
  const found: Item[] = []
  if (enough === 0) return found
  for await (const item of listItems(brain, address, prefix)) {
    if (matches(item)) found.push(item)
    if (found.length >= enough) break
  }
  return found.slice(offset)
}
