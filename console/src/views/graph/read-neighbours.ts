import type { BrainRecord } from '@noema/contracts/records.ts'
import type { Statement } from '@noema/contracts/statements.ts'
import type { BrainClient } from '@noema/sdk'
import { NotFoundError } from '@noema/sdk/errors.ts'
import { toRecordName } from '../../data/record-text.ts'
import {
  addReading,
  listUnread,
  markMissing,
  type Neighbour,
  type Neighbourhood,
  type Reading,
} from './neighbourhood.ts'

type Place = { asOf?: number | undefined; signal?: AbortSignal | undefined }

/** How many of each sort of neighbour are read, and so counted, of one record. */
const maxCounted = 250

const toLinked = ({ links }: BrainRecord): Neighbour[] =>
  links.map(({ predicate, to }) => ({ id: to, edge: predicate, type: 'link', isOutward: true }))

const toLinking = (record: BrainRecord, id: string): Neighbour[] =>
  record.links
    .filter(({ to }) => to === id)
    .map(({ predicate }) => ({
      ...{ id: record.id, kind: record.kind, name: toRecordName(record) },
      ...{ edge: predicate, type: 'link', isOutward: false },
    }))

const toSaying = ({ subject, predicate, object }: Statement, isOutward: boolean): Neighbour[] => {
  if (!('record' in object)) return []
  const { id, kind } = isOutward ? object.record : subject
  return [{ id, kind, edge: predicate, type: 'statement', isOutward }]
}

/** Reads a record with all that leads to it and from it; undefined where nobody has it. */
export const readNeighbours = async (
  brain: BrainClient,
  id: string,
  { asOf, signal }: Place,
): Promise<Reading | undefined> => {
  const page = { asOf, limit: maxCounted }
  const options = { signal }
  try {
    const [{ record }, linking, saying, said] = await Promise.all([
      brain.records.get(id, { asOf }, options),
      brain.records.list({ linksTo: id, ...page }, options),
      brain.statements.list({ subject: id, ...page }, options),
      brain.statements.list({ object: id, ...page }, options),
    ])
    return {
      ...{ id, kind: record.kind, name: toRecordName(record) },
      neighbours: [
        ...toLinked(record),
        ...saying.statements.flatMap((statement) => toSaying(statement, true)),
        ...linking.records.flatMap((one) => toLinking(one, id)),
        ...said.statements.flatMap((statement) => toSaying(statement, false)),
      ],
      isCut: linking.hasMore || saying.hasMore || said.hasMore,
    }
  } catch (error) {
    if (error instanceof NotFoundError) return undefined
    throw error
  }
}

/** How many records are asked for at once: a browser keeps six connections, and the page needs one itself. */
const atOnce = 4

type Read = (id: string) => Promise<Reading | undefined>
type Growth = { depth: number; maxNeighbours: number; signal?: AbortSignal | undefined }

const readSome = async (read: Read, ids: readonly string[]): Promise<(readonly [string, Reading | undefined])[]> =>
  Promise.all(ids.map(async (id) => [id, await read(id)] as const))

/**
 * Reads what is not read yet, nearest first, until everything within `depth` steps is there, and yields the graph as it
 * grows. What stands at the rim is read too, so that it has its name and kind, but its own neighbours stay hidden.
 */
export async function* grow(graph: Neighbourhood, read: Read, { depth, maxNeighbours, signal }: Growth) {
  let grown = graph
  for (;;) {
    const unread = listUnread(grown, depth)
    const rim =
      unread.length > 0 ? [] : listUnread(grown, depth + 1).filter((id) => grown.nodes.get(id)?.isNamed !== true)
    const next = (unread.length > 0 ? unread : rim).slice(0, atOnce)
    if (next.length === 0 || signal?.aborted) return
    for (const [id, reading] of await readSome(read, next))
      grown = reading ? addReading(grown, reading, unread.length > 0 ? maxNeighbours : 0) : markMissing(grown, id)
    yield grown
  }
}
