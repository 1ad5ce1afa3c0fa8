// A chart of growth as SVG: both axes logarithmic, so that what doubles with its size is a straight line upwards, and what does
// not grow is flat. Colours are variables of its own style, light and dark, so it stands by itself and inside of a page.

export type Point = { size: number; value: number; min: number; max: number }
export type ChartLine = { name: string; role: 'noema' | 'floor' | 'peer'; points: readonly Point[] }
export type Chart = { title: string; unit: string; of: string; lines: readonly ChartLine[] }

const width = 440
const height = 260
const frame = { left: 58, right: 14, top: 34, bottom: 62 }

const style = `
  .chart { font: 12px system-ui, sans-serif; --ink: #1a1a1a; --faint: #8a8a8a; --rule: #e2e2e2; --paper: #ffffff; --noema: #1d4ed8; --floor: #6b7280; --peer: #b45309 }
  @media (prefers-color-scheme: dark) { .chart { --ink: #ececec; --faint: #8f8f8f; --rule: #333333; --paper: #161616; --noema: #7aa2ff; --floor: #a3a3a3; --peer: #f0a860 } }
  .chart .paper { fill: var(--paper) } .chart text { fill: var(--ink) } .chart .faint { fill: var(--faint) } .chart .rule { stroke: var(--rule) }
  .chart .line { fill: none; stroke-width: 2 } .chart .span { opacity: .35; stroke-width: 4 } .chart .line.peer { stroke-dasharray: 5 3 } .chart .line.floor { stroke-dasharray: 2 3 }
  .chart .noema { stroke: var(--noema) } .chart .floor { stroke: var(--floor) } .chart .peer { stroke: var(--peer) }
  .chart circle { fill: var(--paper); stroke-width: 2 }`

export const escapeText = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

const figure = (value: number): string =>
  value.toLocaleString('en', { maximumSignificantDigits: 2, useGrouping: value >= 10_000 })

const count = (value: number): string =>
  value >= 1_000_000 ? `${value / 1_000_000} M` : value >= 1_000 ? `${value / 1_000} k` : String(value)

type Axis = { ticks: number[]; place(value: number): number }

/** Whole powers of ten around the values. */
const createAxis = (values: readonly number[], [from, to]: [number, number]): Axis => {
  const known = values.filter((value) => value > 0)
  const low = Math.floor(Math.log10(Math.min(...known)))
  const high = Math.max(low + 1, Math.ceil(Math.log10(Math.max(...known))))
  const ticks = Array.from({ length: high - low + 1 }, (_, index) => 10 ** (low + index))
  return { ticks, place: (value) => from + ((Math.log10(value) - low) / (high - low)) * (to - from) }
}

const drawLine = ({ role, points, name }: ChartLine, x: Axis, y: Axis): string => {
  const places = points.map((point) => `${x.place(point.size).toFixed(1)},${y.place(point.value).toFixed(1)}`)
  const marks = points.map(({ size, value, min, max }) => {
    const at = x.place(size).toFixed(1)
    const span = `<path class="span ${role}" d="M${at} ${y.place(min).toFixed(1)}V${y.place(max).toFixed(1)}"/>`
    const title = `<title>${escapeText(`${name}, ${count(size)}: ${figure(value)} (${figure(min)}–${figure(max)})`)}</title>`
    return `${span}<circle class="${role}" cx="${at}" cy="${y.place(value).toFixed(1)}" r="3.5">${title}</circle>`
  })
  return `<polyline class="line ${role}" points="${places.join(' ')}"/>${marks.join('')}`
}

const drawLegend = (lines: readonly ChartLine[]): string =>
  lines
    .map(({ role, name }, index) => {
      const at = frame.left + (index * (width - frame.left - frame.right)) / lines.length
      const y = height - 14
      return `<path class="line ${role}" d="M${at.toFixed(0)} ${y - 4}h18"/><text x="${(at + 23).toFixed(0)}" y="${y}">${escapeText(name)}</text>`
    })
    .join('')

/** Draws a chart that needs nothing beside it. */
export const drawChart = ({ title, unit, of, lines }: Chart): string => {
  const points = lines.flatMap((line) => line.points)
  const x = createAxis(
    points.map(({ size }) => size),
    [frame.left, width - frame.right],
  )
  const y = createAxis(
    points.flatMap(({ min, max }) => [min, max]),
    [height - frame.bottom, frame.top],
  )
  const rules = y.ticks.map((tick) => {
    const at = y.place(tick).toFixed(1)
    return `<path class="rule" d="M${frame.left} ${at}H${width - frame.right}"/><text class="faint" x="${frame.left - 6}" y="${at}" dy="4" text-anchor="end">${count(tick)}</text>`
  })
  const sizes = x.ticks.map(
    (tick) =>
      `<text class="faint" x="${x.place(tick).toFixed(1)}" y="${height - frame.bottom + 17}" text-anchor="middle">${count(tick)}</text>`,
  )
  const label = `<text x="${frame.left}" y="18">${escapeText(title)}</text><text class="faint" x="${width - frame.right}" y="18" text-anchor="end">${escapeText(unit)}</text>`
  const below = `<text class="faint" x="${width - frame.right}" y="${height - frame.bottom + 32}" text-anchor="end">${escapeText(of)}</text>`
  const drawn = lines.map((line) => drawLine(line, x, y)).reverse()
  return `<svg xmlns="http://www.w3.org/2000/svg" class="chart" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escapeText(`${title} by ${of}, ${unit}`)}"><style>${style}</style><rect class="paper" width="${width}" height="${height}"/>${label}${rules.join('')}${sizes.join('')}${below}${drawn.join('')}${drawLegend(lines)}</svg>\n`
}
