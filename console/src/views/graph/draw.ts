import type { NodeHoverDrawingFunction, NodeLabelDrawingFunction } from 'sigma/rendering'
import { readColor } from '../../components/read-color.ts'
import { kindColors } from './color-index.ts'

// Draws a graph in the colors of the page, light or dark.

export type Colors = {
  text: string
  muted: string
  surface: string
  line: string
  accent: string
  kinds: readonly string[]
}

/** The properties that a node and an edge are drawn with. */
export type NodeLook = { x: number; y: number; size: number; color: string; label: string; forceLabel?: boolean }
export type EdgeLook = { color: string; size: number; type: string }

/** The current colors of the page. */
export const readColors = (): Colors => ({
  ...{ text: readColor('--text'), muted: readColor('--muted'), surface: readColor('--surface') },
  ...{ line: readColor('--graph-edge'), accent: readColor('--accent') },
  kinds: Array.from({ length: kindColors }, (_, index) => readColor(`--kind-${index}`)),
})

const font = '500 12px Inter, system-ui, sans-serif'

export const drawLabel =
  ({ text }: Colors): NodeLabelDrawingFunction<NodeLook, EdgeLook> =>
  (context, { x, y, size, label }) => {
    if (!label) return
    context.font = font
    context.fillStyle = text
    context.fillText(label, x + size + 4, y + 4)
  }

export const drawHover =
  ({ text, surface, accent }: Colors): NodeHoverDrawingFunction<NodeLook, EdgeLook> =>
  (context, { x, y, size, label, color }) => {
    context.font = font
    const width = label ? context.measureText(label).width + size + 14 : size * 2
    context.beginPath()
    context.roundRect(x - size - 4, y - 12, width + size + 4, 24, 6)
    context.fillStyle = surface
    context.fill()
    context.strokeStyle = accent
    context.stroke()
    context.beginPath()
    context.arc(x, y, size, 0, 2 * Math.PI)
    context.fillStyle = color
    context.fill()
    context.fillStyle = text
    if (label) context.fillText(label, x + size + 4, y + 4)
  }
