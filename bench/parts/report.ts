import type { Comparison, Cores, Machine, Series, Target } from './comparison.ts'
import { median, range } from './statistics.ts'

type Spread = { median: number; min: number; max: number }

/** A comparison: its figures, and Noema's ratio to them, above 1 if Noema is better, for any unit. */
type Against = Spread & { name: string; ratio: Spread }

/** A comparison in the report: medians over the repetitions, and the ratio of each repetition's pair. */
export type Line = {
  what: string
  unit: string
  noema: Spread
  floor?: Against
  peer?: Against
  target?: NonNullable<Target>
  met?: boolean
  repetitions: number
  cores?: Cores
}

const toSpread = (values: readonly number[]): Spread => ({ median: median(values), ...range(values) })

/** Pairs of one repetition ran one after the other, so their ratio is steadier than either figure. */
const toRatios = (noema: Series, other: Series): number[] =>
  noema.values.map((value, index) => {
    const beside = other.values[index] ?? Number.NaN
    return noema.better === 'more' ? value / beside : beside / value
  })

const toAgainst = (noema: Series, other: Series): Against => ({
  ...{ name: other.name, ratio: toSpread(toRatios(noema, other)) },
  ...toSpread(other.values),
})

const isMet = (target: NonNullable<Target>, value: number): boolean =>
  'min' in target ? value >= target.min : value <= target.max

/** Sums a comparison up. */
export const toLine = ({ what, noema, floor, peer, target, cores }: Comparison): Line => {
  const mine = toSpread(noema.values)
  const against = floor && toAgainst(noema, floor)
  return {
    ...{ what, unit: noema.unit, noema: mine, repetitions: noema.values.length },
    ...(against ? { floor: against } : {}),
    ...(peer ? { peer: toAgainst(noema, peer) } : {}),
    ...(target ? { target, met: isMet(target, (against?.ratio ?? mine).median) } : {}),
    ...(cores ? { cores } : {}),
  }
}

const figure = (value: number): string =>
  value.toLocaleString('en', { maximumSignificantDigits: 3, useGrouping: Math.abs(value) >= 10_000 })

const spreadText = ({ median: middle, min, max }: Spread): string =>
  min === max ? figure(middle) : `${figure(middle)} (${figure(min)}–${figure(max)})`

const targetText = ({ target, met }: Line): string => {
  if (!target) return ''
  const bound = 'min' in target ? `≥ ${target.min}` : `≤ ${target.max}`
  return `${bound} ${met ? 'met' : 'MISSED'}`
}

const againstText = (against: Against | undefined): string => (against ? `${spreadText(against)} ${against.name}` : '')

/** Describes the use of the processors by process, and in total. */
export const coresText = (cores: Cores): string => {
  const all = Object.values(cores).reduce((sum, share) => sum + share, 0)
  const shares = Object.entries(cores).map(([name, share]) => `${name} ${share.toFixed(2)}`)
  return `${all.toFixed(2)} cores: ${shares.join(', ')}`
}

type Column = { head: string; toCell: (line: Line) => string }

/** The columns of a table of lines. */
const columns: readonly Column[] = [
  { head: 'measure', toCell: ({ what }) => what },
  { head: 'unit', toCell: ({ unit }) => unit },
  { head: 'Noema', toCell: ({ noema }) => spreadText(noema) },
  { head: 'floor', toCell: ({ floor }) => againstText(floor) },
  { head: 'of the floor', toCell: ({ floor }) => (floor ? spreadText(floor.ratio) : '') },
  { head: 'peer', toCell: ({ peer }) => againstText(peer) },
  { head: 'times the peer', toCell: ({ peer }) => (peer ? spreadText(peer.ratio) : '') },
  { head: 'target', toCell: targetText },
]

/** The cells of a table of lines, its heads first, without empty columns. */
export const toCells = (lines: readonly Line[]): string[][] => {
  const shown = columns.filter(({ toCell }) => lines.some((line) => toCell(line) !== ''))
  return [shown.map(({ head }) => head), ...lines.map((line) => shown.map(({ toCell }) => toCell(line)))]
}

/** The table of one benchmark, with who had the processors below it. */
export const formatTable = (lines: readonly Line[]): string => {
  const [heads = [], ...rows] = toCells(lines)
  const widths = heads.map((head, column) => Math.max(head.length, ...rows.map((row) => row[column]?.length ?? 0)))
  const table = [heads, widths.map((width) => '-'.repeat(width)), ...rows].map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  )
  const spent = lines.flatMap(({ what, cores }) => (cores ? [`${what}: ${coresText(cores)}`] : []))
  return [...table, ...spent].join('\n')
}

export const machineText = (machine: Machine): string =>
  `${machine.cores} cores (${machine.processor}), ${machine.memoryGigabytes} GB, ${machine.versions}, load ${machine.loadAtStart.toFixed(2)} at the start, write and fdatasync of 8 kB ${machine.syncMilliseconds.toFixed(2)} ms`
