import type { QueryOutput } from '@noema/contracts/endpoint.ts'
import {
  type listNeighbours,
  type NeighbourRecord,
  neighbourLimits,
  type Relation,
} from '@noema/contracts/neighbours.ts'
import type { BrainRecord } from '@noema/contracts/records.ts'
import { notFound } from '../../../shared/errors.ts'
import type { Db, Queryable } from '../../../storage/database.ts'
import type { BrainRow } from '../../kernel/brains/brain-queries.ts'
import { atOneState } from '../../kernel/state-reads/state-reads.ts'
import { selectFirstRecordsAt, selectKindsAt } from '../../knowledge/records/link-queries.ts'
import { type Related, readRelations, toOther } from './relations.ts'

// Walks from a record to those around it, step by step, at one state. A hub may have any number of neighbours, which may have any
// number again, so all is bounded: the relations that are followed from one record, those that are read, and the size of an answer.

type Query = QueryOutput<typeof listNeighbours>

/** The maximum of records that one statement reads, of relations that are read, and of bytes of records. */
const bounds = { batch: 25, relations: 20_000, bytes: 4 * 1024 * 1024 }

/** A record of the walk; without content if it does not exist and only links lead to it. */
type Node = { id: string; distance: number; record: BrainRecord | undefined; related?: Related }

type Walk = {
  tx: Queryable
  brainId: number
  stateVersion: number
  query: Query
  nodes: Map<string, Node>
  /** The rest of the limits. */
  left: { relations: number; bytes: number }
  isTruncated: boolean
}

/** Reads records into the walk, as far as the limits allow. */
const visit = async (walk: Walk, ids: readonly string[], distance: number): Promise<Node[]> => {
  const room = neighbourLimits.records - walk.nodes.size
  const requested = ids.slice(0, room)
  if (ids.length > room) walk.isTruncated = true
  const at = { asOf: walk.stateVersion, maxBytes: Math.max(0, walk.left.bytes) }
  const { texts, isCut } = await selectFirstRecordsAt(walk.tx, walk.brainId, requested, at)
  walk.left.bytes -= texts.reduce((bytes, text) => bytes + Buffer.byteLength(text), 0)
  if (isCut || walk.left.bytes <= 0) walk.isTruncated = true
  const found = new Map(texts.map((text): BrainRecord => JSON.parse(text)).map((record) => [record.id, record]))
  const nodes = requested.flatMap((id): Node[] => {
    const record = found.get(id)
    // If records were cut off, one that was not read may exist.
    return record === undefined && isCut ? [] : [{ id, distance, record }]
  })
  for (const node of nodes) walk.nodes.set(node.id, node)
  return nodes
}

/** Leaves out relations to records of other kinds than requested. */
const keepKinds = async (walk: Walk, related: ReadonlyMap<string, Related>): Promise<void> => {
  const { kinds } = walk.query
  if (kinds === undefined) return
  const ids = new Set([...related].flatMap(([id, { relations }]) => relations.map((one) => toOther(id, one))))
  const kindOf = await selectKindsAt(walk.tx, walk.brainId, [...ids], walk.stateVersion)
  const isRequested = (id: string) => walk.nodes.has(id) || kinds.includes(kindOf.get(id) ?? '')
  for (const [id, found] of related) found.relations = found.relations.filter((one) => isRequested(toOther(id, one)))
}

/** The neighbours of some records that are followed: of each record the first ones that are new to the walk. */
const chooseNext = (walk: Walk, related: ReadonlyMap<string, Related>): string[] => {
  const next = new Set<string>()
  for (const [id, { relations }] of related) {
    const others = new Set(relations.map((one) => toOther(id, one)))
    const isNew = (other: string) => !walk.nodes.has(other) && !next.has(other)
    for (const other of [...others].filter(isNew).slice(0, walk.query.perRecord)) next.add(other)
  }
  return [...next]
}

/** Reads the relations of some records. */
const relate = async (walk: Walk, nodes: readonly Node[]): Promise<ReadonlyMap<string, Related>> => {
  const records = nodes.flatMap(({ record }) => record ?? [])
  if (records.length === 0) return new Map()
  const related = await readRelations(walk.tx, walk.brainId, records, walk.stateVersion)
  await keepKinds(walk, related)
  for (const [id, found] of related) {
    const node = walk.nodes.get(id)
    if (node) node.related = found
    walk.left.relations -= found.relations.length
  }
  return related
}

/** Goes from all records of a distance, some at a time, to those around them, until a limit is reached. */
const step = async (walk: Walk, rim: readonly Node[], distance: number): Promise<Node[]> => {
  const next: Node[] = []
  for (let first = 0; first < rim.length; first += bounds.batch) {
    if (walk.left.relations <= 0 || walk.left.bytes <= 0) walk.isTruncated = true
    if (walk.isTruncated) break
    const related = await relate(walk, rim.slice(first, first + bounds.batch))
    next.push(...(await visit(walk, chooseNext(walk, related), distance)))
  }
  return next
}

/** Reads the relations of the records at the end of the walk, as far as the limits allow. */
const relateRim = async (walk: Walk): Promise<void> => {
  const rim = [...walk.nodes.values()].filter(({ record, related }) => record && !related)
  for (let first = 0; first < rim.length && walk.left.relations > 0; first += bounds.batch)
    await relate(walk, rim.slice(first, first + bounds.batch))
}

const toFields = (fields: BrainRecord['fields'], select: readonly string[]) =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => select.includes(name)))

const toNeighbour = (nodes: Walk['nodes'], { id, distance, record, related }: Node, select: readonly string[]) => {
  const others = new Set(related?.relations.map((one) => toOther(id, one)))
  const hidden = [...others].filter((other) => !nodes.has(other)).length
  return {
    ...{ id, kind: record?.kind ?? null, slug: record?.slug ?? null, version: record?.version ?? null },
    fields: toFields(record?.fields ?? {}, select),
    ...{ distance, hidden: related ? hidden : null, hasMore: related?.hasMore ?? false },
  } satisfies NeighbourRecord
}

/** The relations between records of the walk, each once: one is found from both of its ends. */
const listRelations = (nodes: Walk['nodes']): Relation[] => {
  const found = new Map<string, Relation>()
  for (const { related } of nodes.values())
    for (const relation of related?.relations ?? []) {
      const { type, from, to, predicate, statement } = relation
      if (nodes.has(from) && nodes.has(to))
        found.set(statement ?? JSON.stringify([type, from, predicate, to]), relation)
    }
  return [...found.values()]
}

/** Reads a record with those around it (D-30, D-32), now or as of an earlier state. */
export const readNeighbours = ({ db }: { db: Db }, brain: BrainRow, id: string, query: Query) =>
  atOneState(db, brain, query.asOf, async (tx, { stateVersion }) => {
    const left = { relations: bounds.relations, bytes: bounds.bytes }
    const walk: Walk = {
      ...{ tx, brainId: brain.brainId, stateVersion, query, nodes: new Map() },
      ...{ left, isTruncated: false },
    }
    let rim = await visit(walk, [id], 0)
    if (rim[0]?.record === undefined)
      throw notFound(`There is no record ${JSON.stringify(id)} at stateVersion ${stateVersion}.`)
    for (let distance = 1; distance <= query.depth && !walk.isTruncated; distance++)
      rim = await step(walk, rim, distance)
    await relateRim(walk)
    const { nodes, isTruncated } = walk
    return {
      records: [...nodes.values()].map((node) => toNeighbour(nodes, node, query.select ?? [])),
      relations: listRelations(nodes),
      ...(isTruncated ? { truncated: true as const } : {}),
      stateVersion,
    }
  })
