import type { NeighbourRecord, Relation } from '@noema/contracts/neighbours.ts'
import type { Reading } from '../../data/neighbours.ts'
import { toRecordName } from '../../data/record-text.ts'

// The graph around a few records: its nodes and edges, and how many neighbors of a hub are hidden.

/** A node. `hidden`: its number of hidden neighbors; `isAtLeast` if not all were counted. */
export type GraphNode = {
  id: string
  kind: string | undefined
  name: string
  /** Steps from the nearest record that the graph started with. */
  distance: number
  isMissing: boolean
  hidden: number
  isAtLeast: boolean
}

type GraphEdge = { id: string; from: string; to: string; name: string; type: Relation['type'] }

export type Neighbourhood = { nodes: ReadonlyMap<string, GraphNode>; edges: ReadonlyMap<string, GraphEdge> }

/** The maximum number of drawn nodes: without a graphics card, more are slow. */
export const maxNodes = 500

export const emptyGraph: Neighbourhood = { nodes: new Map(), edges: new Map() }

const toEdge = ({ type, from, to, predicate: name }: Relation): GraphEdge => ({
  ...{ id: JSON.stringify([from, type, name, to]), from, to, name, type },
})

const toNode = (record: NeighbourRecord, distance: number): GraphNode => ({
  ...{ id: record.id, kind: record.kind ?? undefined, name: toRecordName(record), distance },
  ...{ isMissing: record.kind === null, hidden: 0, isAtLeast: false },
})

/** The neighbors of each record in one response. */
const listNeighbours = (relations: readonly Relation[]): Map<string, Set<string>> => {
  const neighbours = new Map<string, Set<string>>()
  const add = (id: string, other: string) => neighbours.set(id, (neighbours.get(id) ?? new Set()).add(other))
  for (const { from, to } of relations)
    if (from !== to) {
      add(from, to)
      add(to, from)
    }
  return neighbours
}

/**
 * Adds the loaded neighbors of a record, nearest first: at most `maxNew` new records, and no more than can be drawn. The others
 * are counted at their neighbor.
 */
export const addReading = (graph: Neighbourhood, { records, relations }: Reading, maxNew = maxNodes): Neighbourhood => {
  const nodes = new Map(graph.nodes)
  const edges = new Map(graph.edges)
  const from = nodes.get(records[0]?.id ?? '')?.distance ?? 0
  let room = Math.min(maxNew, maxNodes - nodes.size)
  for (const record of records)
    if (!nodes.has(record.id) && room-- > 0) nodes.set(record.id, toNode(record, from + record.distance))
  for (const relation of relations) {
    const edge = toEdge(relation)
    if (nodes.has(edge.from) && nodes.has(edge.to)) edges.set(edge.id, edge)
  }
  const neighbours = listNeighbours(relations)
  for (const { id, hidden, hasMore } of records) {
    const node = nodes.get(id)
    const others = [...(neighbours.get(id) ?? [])].filter((other) => !nodes.has(other))
    // A record that an earlier response hid may be in the graph now, so the latest count is right.
    if (node && hidden !== null) nodes.set(id, { ...node, hidden: hidden + others.length, isAtLeast: hasMore })
  }
  return { nodes, edges }
}

/** Removes the nodes of some kinds and their edges. */
export const withoutKinds = (graph: Neighbourhood, hidden: ReadonlySet<string>): Neighbourhood => {
  if (hidden.size === 0) return graph
  const nodes = new Map([...graph.nodes].filter(([, { kind }]) => !hidden.has(kind ?? '')))
  const edges = new Map([...graph.edges].filter(([, { from, to }]) => nodes.has(from) && nodes.has(to)))
  return { nodes, edges }
}

/** The number of nodes of each kind, most first. A node that is not loaded yet has the kind ''. */
export const countKinds = ({ nodes }: Neighbourhood): { kind: string; count: number }[] => {
  const counts = new Map<string, number>()
  for (const { kind = '' } of nodes.values()) counts.set(kind, (counts.get(kind) ?? 0) + 1)
  return [...counts]
    .map(([kind, count]) => ({ kind, count }))
    .sort((a, b) => b.count - a.count || (a.kind < b.kind ? -1 : 1))
}

/** The label for the hidden neighbors of a hub: `+214 more`. */
export const describeHidden = ({ hidden, isAtLeast }: Pick<GraphNode, 'hidden' | 'isAtLeast'>): string | undefined => {
  if (isAtLeast) return hidden > 0 ? `more than ${hidden} more` : 'and more'
  return hidden > 0 ? `+${hidden} more` : undefined
}
