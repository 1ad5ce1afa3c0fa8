import Graph from 'graphology'
import Sigma from 'sigma'
import { toColorIndex } from './color-index.ts'
import { type Colors, drawHover, drawLabel, type EdgeLook, type NodeLook, readColors } from './draw.ts'
import type { Position, Positions } from './layout.ts'
import { describeHidden, type GraphNode, type Neighbourhood } from './neighbourhood.ts'

// A graph on a canvas: it receives the graph, lays it out outside the main thread, and reports clicks.

export type Events = { onSelect: (id: string | undefined) => void; onOpen: (id: string) => void }

type Drawn = Graph<NodeLook, EdgeLook>

/** The shown graph and the selected node. `kinds`: all kinds, in a stable order. */
export type Scene = { graph: Neighbourhood; kinds: readonly string[]; selected: string | undefined }

const toLabel = (node: GraphNode): string => {
  const name = node.name.length > 32 ? `${node.name.slice(0, 31)}…` : node.name
  // Nodes at the edge usually hide neighbors. A label on each would cover the graph.
  const hidden = describeHidden(node)
  return hidden === undefined ? name : `${name}  ${hidden}`
}

const toSize = (degree: number, distance: number): number =>
  Math.min(14, 4 + Math.sqrt(degree)) + (distance === 0 ? 3 : 0)

const countDegrees = ({ edges }: Neighbourhood): Map<string, number> => {
  const degrees = new Map<string, number>()
  for (const { from, to } of edges.values()) for (const id of [from, to]) degrees.set(id, (degrees.get(id) ?? 0) + 1)
  return degrees
}

/** Near a neighbor that already has a position, so that a growing graph keeps its shape. */
const findStart = (drawn: Drawn, { edges }: Neighbourhood, id: string, index: number): Position => {
  for (const { from, to } of edges.values()) {
    const other = from === id ? to : to === id ? from : undefined
    if (other === undefined || !drawn.hasNode(other)) continue
    const { x, y } = drawn.getNodeAttributes(other)
    return { x: x + 6 * Math.cos(index * 2.4), y: y + 6 * Math.sin(index * 2.4) }
  }
  return { x: 10 * Math.cos(index * 2.4) * Math.sqrt(index), y: 10 * Math.sin(index * 2.4) * Math.sqrt(index) }
}

const drawNodes = (drawn: Drawn, { graph, kinds }: Scene, colors: Colors): boolean => {
  const degrees = countDegrees(graph)
  let isNew = false
  for (const id of drawn.nodes()) if (!graph.nodes.has(id)) drawn.dropNode(id)
  let index = 0
  for (const node of graph.nodes.values()) {
    const look = {
      label: toLabel(node),
      size: toSize(degrees.get(node.id) ?? 0, node.distance),
      color: node.isMissing ? colors.muted : (colors.kinds[toColorIndex(kinds, node.kind ?? '')] ?? colors.muted),
      forceLabel: node.distance === 0,
    }
    if (drawn.hasNode(node.id)) drawn.mergeNodeAttributes(node.id, look)
    else {
      drawn.addNode(node.id, { ...look, ...findStart(drawn, graph, node.id, index) })
      isNew = true
    }
    index++
  }
  return isNew
}

const drawEdges = (drawn: Drawn, { graph }: Scene, { line }: Colors): boolean => {
  let isNew = false
  for (const edge of drawn.edges()) if (!graph.edges.has(edge)) drawn.dropEdge(edge)
  for (const { id, from, to } of graph.edges.values()) {
    if (drawn.hasEdge(id)) {
      drawn.setEdgeAttribute(id, 'color', line)
      continue
    }
    if (!drawn.hasNode(from) || !drawn.hasNode(to)) continue
    drawn.addDirectedEdgeWithKey(id, from, to, { color: line, size: 1, type: 'arrow' })
    isNew = true
  }
  return isNew
}

/** The factor by which the picture is larger than a small graph, so that two nodes are not in opposite corners. */
const toMargin = (nodes: number): number => (nodes <= 3 ? 3 : nodes <= 8 ? 1.8 : nodes <= 20 ? 1.25 : 1)

/** The part of the plane that the picture shows; null for what the nodes occupy. */
const toFrame = (drawn: Drawn) => {
  const margin = toMargin(drawn.order)
  if (margin === 1 || drawn.order === 0) return null
  const positions = drawn.mapNodes((_id, { x, y }) => ({ x, y }))
  const toRange = (values: readonly number[]): [number, number] => {
    const [low, high] = [Math.min(...values), Math.max(...values)]
    const half = (Math.max(1, high - low) / 2) * margin
    return [(low + high) / 2 - half, (low + high) / 2 + half]
  }
  return { x: toRange(positions.map(({ x }) => x)), y: toRange(positions.map(({ y }) => y)) }
}

/** Calls back when the page's colors change: by the person's choice or the system's. */
const watchTheme = (onChange: () => void) => {
  const observer = new MutationObserver(onChange)
  observer.observe(document.documentElement, { attributeFilter: ['data-theme'] })
  const system = matchMedia('(prefers-color-scheme: dark)')
  system.addEventListener('change', onChange)
  return () => {
    observer.disconnect()
    system.removeEventListener('change', onChange)
  }
}

const startLayout = (drawn: Drawn, onMove: () => void) => {
  const worker = new Worker(new URL('./layout.worker.ts', import.meta.url), { type: 'module' })
  const isStill = matchMedia('(prefers-reduced-motion: reduce)').matches
  let turn = 0
  worker.addEventListener(
    'message',
    ({ data }: MessageEvent<{ turn: number; positions: Positions; isLast: boolean }>) => {
      if (data.turn !== turn || (isStill && !data.isLast)) return
      drawn.updateEachNodeAttributes((id, attributes) => ({ ...attributes, ...data.positions[id] }), {
        attributes: ['x', 'y'],
      })
      onMove()
    },
  )
  return {
    run: () => {
      turn++
      const nodes = drawn.mapNodes((id, { x, y, size }) => ({ id, size, position: { x, y } }))
      const edges = drawn.mapEdges((_edge, _attributes, from, to) => ({ from, to }))
      worker.postMessage({ turn, layout: { nodes, edges } })
    },
    stop: () => worker.terminate(),
  }
}

/** Draws into an element. Throws if the browser has no WebGL. */
export const createCanvas = (container: HTMLElement, { onSelect, onOpen }: Events) => {
  const drawn: Drawn = new Graph({ multi: true })
  let colors = readColors()
  let selected: string | undefined
  const sigma = new Sigma(drawn, container, {
    ...{ allowInvalidContainer: true, defaultEdgeType: 'arrow', labelRenderedSizeThreshold: 5, labelDensity: 0.6 },
    ...{ stagePadding: 40, minCameraRatio: 0.1, maxCameraRatio: 4, zIndex: true },
    defaultDrawNodeLabel: (...drawing) => drawLabel(colors)(...drawing),
    defaultDrawNodeHover: (...drawing) => drawHover(colors)(...drawing),
    nodeReducer: (id, data) => (id === selected ? { ...data, highlighted: true, zIndex: 1 } : data),
    edgeReducer: (id, data) =>
      selected !== undefined && drawn.hasExtremity(id, selected) ? { ...data, color: colors.accent, zIndex: 1 } : data,
  })
  const frame = () => sigma.setCustomBBox(toFrame(drawn))
  const layout = startLayout(drawn, frame)
  let last: Scene | undefined
  sigma.on('clickNode', ({ node }) => onSelect(node))
  sigma.on('clickStage', () => onSelect(undefined))
  sigma.on('doubleClickNode', ({ node, preventSigmaDefault }) => {
    preventSigmaDefault()
    onOpen(node)
  })
  const show = (scene: Scene) => {
    last = scene
    colors = readColors()
    selected = scene.selected
    const hasNodes = drawNodes(drawn, scene, colors)
    const hasEdges = drawEdges(drawn, scene, colors)
    frame()
    sigma.refresh()
    if (hasNodes || hasEdges) layout.run()
  }
  const stopWatching = watchTheme(() => last && show(last))
  return {
    show,
    zoom: (by: 'in' | 'out' | 'all') => {
      const camera = sigma.getCamera()
      const moving =
        by === 'in' ? camera.animatedZoom() : by === 'out' ? camera.animatedUnzoom() : camera.animatedReset()
      moving.catch(() => undefined)
    },
    close: () => {
      stopWatching()
      layout.stop()
      sigma.kill()
    },
  }
}

export type Canvas = ReturnType<typeof createCanvas>
