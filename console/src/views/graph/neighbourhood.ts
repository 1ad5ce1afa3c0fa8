// The graph around a few records: which nodes and edges are shown, and how many neighbours of a hub are not.

/** What leads from a record to another, or from another to it. */
export type Neighbour = {
  id: string
  kind?: string
  name?: string
  edge: string
  type: 'link' | 'statement'
  isOutward: boolean
}

/** What was read of one record. `isCut`: it has more neighbours than were read. */
export type Reading = { id: string; kind: string; name: string; neighbours: readonly Neighbour[]; isCut: boolean }

/** A node. `hidden`: how many neighbours it has that are not shown; `isAtLeast` where not all were counted. */
export type GraphNode = {
  id: string
  kind: string | undefined
  name: string
  /** Steps from the nearest record that the graph began with. */
  distance: number
  /** Its neighbours are shown, as far as there was room. */
  isRead: boolean
  /** Its own kind and name are known. */
  isNamed: boolean
  isMissing: boolean
  hidden: number
  isAtLeast: boolean
}

type GraphEdge = { id: string; from: string; to: string; name: string; type: Neighbour['type'] }

export type Neighbourhood = { nodes: ReadonlyMap<string, GraphNode>; edges: ReadonlyMap<string, GraphEdge> }

/** The most nodes that are drawn at once: without a graphics card, more are slow. */
export const maxNodes = 500

const newNode = (id: string, distance: number): GraphNode => ({
  ...{ id, distance, kind: undefined, name: id },
  ...{ isRead: false, isNamed: false, isMissing: false, hidden: 0, isAtLeast: false },
})

/** Records to begin with, of which nothing is known yet. */
export const plantSeeds = (ids: readonly string[]): Neighbourhood => ({
  nodes: new Map(ids.map((id) => [id, newNode(id, 0)])),
  edges: new Map(),
})

const toEdge = (id: string, { id: other, edge: name, type, isOutward }: Neighbour): GraphEdge => {
  const [from, to] = isOutward ? [id, other] : [other, id]
  return { id: JSON.stringify([from, type, name, to]), from, to, name, type }
}

/** The neighbours that are shown: those that are there already, then others as far as there is room. */
const chooseShown = (nodes: ReadonlyMap<string, GraphNode>, reading: Reading, room: number): Set<string> => {
  const ids = [...new Set(reading.neighbours.map(({ id }) => id))].filter((id) => id !== reading.id)
  const present = ids.filter((id) => nodes.has(id))
  const others = ids.filter((id) => !nodes.has(id))
  return new Set([...present, ...others.slice(0, Math.max(0, room))])
}

/**
 * Adds what was read of a record that the graph has: at most `maxNeighbours` neighbours that it does not have yet. With 0 it
 * is named alone, and still to be opened.
 */
export const addReading = (graph: Neighbourhood, reading: Reading, maxNeighbours: number): Neighbourhood => {
  const nodes = new Map(graph.nodes)
  const edges = new Map(graph.edges)
  const known = nodes.get(reading.id) ?? newNode(reading.id, 0)
  const shown = chooseShown(nodes, reading, Math.min(maxNeighbours, maxNodes - nodes.size))
  const all = new Set(reading.neighbours.map(({ id }) => id))
  all.delete(reading.id)
  nodes.set(reading.id, {
    ...known,
    ...{ kind: reading.kind, name: reading.name, isNamed: true, isRead: known.isRead || maxNeighbours > 0 },
    ...{ hidden: all.size - shown.size, isAtLeast: reading.isCut },
  })
  for (const neighbour of reading.neighbours) {
    const { id, kind, name } = neighbour
    if (id !== reading.id && !shown.has(id)) continue
    const node = nodes.get(id) ?? newNode(id, known.distance + 1)
    nodes.set(id, { ...node, kind: node.kind ?? kind, name: node.name === id ? (name ?? id) : node.name })
    const edge = toEdge(reading.id, neighbour)
    edges.set(edge.id, edge)
  }
  return { nodes, edges }
}

/** What a record turned out to be that nobody has: a link may lead to one. */
export const markMissing = (graph: Neighbourhood, id: string): Neighbourhood => {
  const node = graph.nodes.get(id)
  if (!node) return graph
  return { ...graph, nodes: new Map(graph.nodes).set(id, { ...node, isRead: true, isNamed: true, isMissing: true }) }
}

/** The nodes that are to be read next so that everything within `depth` steps is shown. */
export const listUnread = (graph: Neighbourhood, depth: number): string[] =>
  [...graph.nodes.values()].filter((node) => !node.isRead && node.distance < depth).map(({ id }) => id)

/** Without the nodes of some kinds, and the edges that lead to them. */
export const withoutKinds = (graph: Neighbourhood, hidden: ReadonlySet<string>): Neighbourhood => {
  if (hidden.size === 0) return graph
  const nodes = new Map([...graph.nodes].filter(([, { kind }]) => !hidden.has(kind ?? '')))
  const edges = new Map([...graph.edges].filter(([, { from, to }]) => nodes.has(from) && nodes.has(to)))
  return { nodes, edges }
}

/** How many nodes of each kind there are, most first. The kind of what is not read yet is ''. */
export const countKinds = ({ nodes }: Neighbourhood): { kind: string; count: number }[] => {
  const counts = new Map<string, number>()
  for (const { kind = '' } of nodes.values()) counts.set(kind, (counts.get(kind) ?? 0) + 1)
  return [...counts]
    .map(([kind, count]) => ({ kind, count }))
    .sort((a, b) => b.count - a.count || (a.kind < b.kind ? -1 : 1))
}

/** How a hub tells what is not shown: `+214 more`. */
export const describeHidden = ({ hidden, isAtLeast }: Pick<GraphNode, 'hidden' | 'isAtLeast'>): string | undefined => {
  if (isAtLeast) return hidden > 0 ? `more than ${hidden} more` : 'and more'
  return hidden > 0 ? `+${hidden} more` : undefined
}
