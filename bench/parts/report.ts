import type { Comparison, Series, Target } from './benchmark.ts'
import type { Machine } from './machine.ts'
import { median, range } from './statistics.ts'

type Spread = { median: number; min: number; max: number }

/** A comparison as it is told: medians over the repetitions, and the ratio of each repetition's pair. */
export type Line = {
  benchmark: string
  what: string
  unit: string
  noema: Spread
  floor?: Spread & { name: string }
  /** Above 1 is better than the floor, whichever way the unit points. */
  ratio?: Spread
  target?: NonNullable<Target>
  met?: boolean
}

const toSpread = (values: readonly number[]): Spread => {
  const { min, max } = range(values)
  return { median: median(values), min, max }
}

/** Pairs of one repetition ran one after the other, so their ratio is steadier than either figure. */
const toRatios = (noema: Series, floor: Series): number[] =>
  noema.values.map((value, index) => {
    const other = floor.values[index] ?? Number.NaN
    return noema.better === 'more' ? value / other : other / value
  })

const isMet = (target: NonNullable<Target>, value: number): boolean =>
  'min' in target ? value >= target.min : value <= target.max

/** Sums a comparison up. */
export const toLine = (benchmark: string, { what, noema, floor, target }: Comparison): Line => {
  const mine = toSpread(noema.values)
  const ratio = floor && toSpread(toRatios(noema, floor))
  return {
    ...{ benchmark, what, unit: noema.unit, noema: mine },
    ...(floor && ratio ? { floor: { name: floor.name, ...toSpread(floor.values) }, ratio } : {}),
    ...(target ? { target, met: isMet(target, (ratio ?? mine).median) } : {}),
  }
}

const figure = (value: number): string =>
  value.toLocaleString('en', { maximumSignificantDigits: 3, useGrouping: value >= 10_000 })

const spreadText = ({ median: middle, min, max }: Spread): string => `${figure(middle)} (${figure(min)}–${figure(max)})`

const targetText = ({ target, met }: Line): string => {
  if (!target) return ''
  const bound = 'min' in target ? `≥ ${target.min}` : `≤ ${target.max}`
  return `${bound} ${met ? 'met' : 'MISSED'}`
}

const header = ['measure', 'unit', 'Noema', 'against', 'ratio', 'target']

/** The table of one benchmark. */
export const formatTable = (lines: readonly Line[]): string => {
  const rows = lines.map((line) => [
    line.what,
    line.unit,
    spreadText(line.noema),
    line.floor ? `${spreadText(line.floor)} ${line.floor.name}` : '',
    line.ratio ? spreadText(line.ratio) : '',
    targetText(line),
  ])
  const widths = header.map((name, column) => Math.max(name.length, ...rows.map((row) => row[column]?.length ?? 0)))
  return [header, widths.map((width) => '-'.repeat(width)), ...rows]
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

export const machineText = (machine: Machine): string =>
  `${machine.cores} cores (${machine.processor}), ${machine.memoryGigabytes} GB, Node ${machine.node}, load ${machine.loadAtStart.toFixed(2)} at the start, write and fdatasync of 8 kB ${machine.syncMilliseconds.toFixed(2)} ms`
