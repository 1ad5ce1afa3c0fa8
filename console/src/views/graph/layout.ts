import Graph from 'graphology'
import forceAtlas2 from 'graphology-layout-forceatlas2'

// Positions the nodes of a graph by forces between them. The start positions depend on the order alone, so the same graph always
// looks the same.

export type Position = { x: number; y: number }

/** The graph to lay out. A node with a position stays near it. */
export type Layout = {
  nodes: readonly { id: string; position?: Position | undefined; size: number }[]
  edges: readonly { from: string; to: string }[]
}

const goldenAngle = Math.PI * (3 - Math.sqrt(5))

/** A position on a spiral: neighbors in the order are near each other, and no two positions are the same. */
const toSpiral = (index: number): Position => ({
  x: 10 * Math.sqrt(index + 0.5) * Math.cos(index * goldenAngle),
  y: 10 * Math.sqrt(index + 0.5) * Math.sin(index * goldenAngle),
})

const buildGraph = ({ nodes, edges }: Layout): Graph => {
  const graph = new Graph({ type: 'undirected', allowSelfLoops: false })
  for (const [index, { id, position, size }] of nodes.entries())
    graph.addNode(id, { ...(position ?? toSpiral(index)), size })
  for (const { from, to } of edges)
    if (from !== to && graph.hasNode(from) && graph.hasNode(to)) graph.mergeEdge(from, to)
  return graph
}

const manyNodes = 200

/** Runs the forces for some rounds at a time and yields the positions after each. */
export function* layOut(layout: Layout, { rounds, iterations }: { rounds: number; iterations: number }) {
  const graph = buildGraph(layout)
  if (graph.order === 0) return
  const settings = {
    ...forceAtlas2.inferSettings(graph),
    barnesHutOptimize: graph.order > manyNodes,
    adjustSizes: true,
    gravity: 1,
    scalingRatio: 12,
  }
  for (let round = 0; round < rounds; round++) {
    forceAtlas2.assign(graph, { iterations, settings })
    yield Object.fromEntries(graph.mapNodes((id, { x, y }): [string, Position] => [id, { x, y }]))
  }
}

export type Positions = Readonly<Record<string, Position>>
