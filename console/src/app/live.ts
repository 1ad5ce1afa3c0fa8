import type { EventType } from '@noema/contracts/event-types.ts'
import { createBatcher } from '../stream/batcher.ts'

// The queries that a Brain's events invalidate. A query of a Brain has the key [organization, 'brain', handle, kind, …]. An event
// invalidates the kinds that it may have changed, and those on the page are reloaded.

type Family = EventType extends `${infer First}.${string}` ? First : never

const kinds: Readonly<Record<Family, readonly string[]>> = {
  record: ['brain', 'records', 'record-pages', 'statements', 'graph', 'dates', 'schema', 'receipts', 'search'],
  statement: ['brain', 'statements', 'records', 'graph', 'receipts', 'search'],
  document: ['brain', 'documents', 'receipts', 'search', 'sources'],
  schema: ['brain', 'schema', 'records', 'record-pages', 'changes'],
  change: ['brain', 'changes', 'schema'],
  availability: ['brain'],
  snapshot: ['snapshots', 'sources', 'documents'],
  date: ['dates'],
}

const isFamily = (name: string): name is Family => Object.hasOwn(kinds, name)

/** All kinds of queries that an event can invalidate. */
export const everyKind: readonly string[] = [...new Set(Object.values(kinds).flat())]

/** The kinds of queries that events of these types invalidate, each once. An unknown type invalidates none. */
export const toStaleKinds = (types: readonly string[]): string[] => {
  const families = new Set(types.map((type) => type.split('.')[0] ?? ''))
  return [...new Set([...families].flatMap((family) => (isFamily(family) ? kinds[family] : [])))]
}

/** Events are collected, so that many writes cause one reload, and a Brain that is always written to one in a second. */
const pace = { first: 250, next: 1_000 }

/** Collects the types of events and reports the stale kinds together. */
export const createStaleGatherer = (give: (stale: string[]) => void, timers?: Parameters<typeof createBatcher>[2]) => {
  const batcher = createBatcher<string>(
    (types) => {
      const stale = toStaleKinds(types)
      if (stale.length > 0) give(stale)
    },
    pace,
    timers,
  )
  return { take: batcher.take, stop: batcher.drop }
}
