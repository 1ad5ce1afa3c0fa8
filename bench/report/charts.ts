import type { Result } from '../parts/results.ts'
import type { Chart, ChartLine, Point } from './chart.ts'

// Which charts there are: one for each thing that was measured at several sizes.

type Lines = Result['lines']

type Spread = { median: number; min: number; max: number }

/** What could not be measured has no point. */
const toPoints = (size: number, { median: value, min, max }: Spread): Point[] =>
  [value, min, max].every(Number.isFinite) ? [{ size, value, min, max }] : []

/** What one thing came to at all sizes, ours and what it is held against. */
const toLines = (lines: Lines): ChartLine[] => {
  const drawn: ChartLine[] = [
    { name: 'Noema', role: 'noema', points: lines.flatMap(({ size = 0, noema }) => toPoints(size, noema)) },
  ]
  for (const role of ['floor', 'peer'] as const) {
    const points = lines.flatMap(({ size = 0, [role]: other }) => (other ? toPoints(size, other) : []))
    const name = lines.find((line) => line[role])?.[role]?.name
    if (name !== undefined) drawn.push({ name, role, points })
  }
  return drawn
}

/** A name for a file, of what is measured. */
const toFileName = (benchmark: string, what: string): string =>
  `${benchmark}-${what
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')}.svg`

/** The charts of a curve, by the names of their files. Something that was measured at one size has none. */
export const listCharts = ({ benchmark, of, lines }: Result): { file: string; chart: Chart }[] => {
  if (of === undefined) return []
  const whats = [...new Set(lines.map(({ what }) => what))]
  return whats.flatMap((what) => {
    const those = lines.filter((line) => line.what === what)
    const [first] = those
    if (!first || those.length < 2) return []
    return [{ file: toFileName(benchmark, what), chart: { title: what, unit: first.unit, of, lines: toLines(those) } }]
  })
}
