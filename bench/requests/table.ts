import { alignColumns } from '../parts/align.ts'
import { median, range } from '../parts/statistics.ts'
import { type Goal, type Measure, measures } from './cases.ts'
import type { Subject } from './subjects.ts'

/** The sides of a case; `other` is another checkout. */
export type Sides = { noema: Subject; floor?: Subject | undefined; other?: Subject | undefined }

export type Line = {
  name: string
  measure: string
  unit: string
  noema: number
  floor?: number | undefined
  other?: number | undefined
  /** Medians of the rounds' ratios, Noema's figure over the floor's, and over the other checkout's. */
  ofFloor?: { median: number; min: number; max: number } | undefined
  otherOfFloor?: number | undefined
  ofOther?: number | undefined
  goal?: Goal | undefined
  isMet?: boolean | undefined
}

const toRatios = (ours: readonly number[] = [], theirs: readonly number[] = []): number[] =>
  ours.flatMap((value, round) => {
    const beside = theirs[round]
    return beside === undefined ? [] : [value / beside]
  })

const toMedian = (values: readonly number[]): number | undefined => (values.length === 0 ? undefined : median(values))

const isGoalMet = (goal: Goal, value: number): boolean => ('min' in goal ? value >= goal.min : value <= goal.max)

/** A case, as far as its table needs it. */
type Measured = { name: string; goals: Partial<Record<Measure, Goal>> }

/** The lines of a case, one for each figure. */
export const toLines = ({ name, goals }: Measured, { noema, floor, other }: Sides): Line[] =>
  (Object.keys(measures) as Measure[]).flatMap((measure) => {
    const [ours, theirs, others] = [noema, floor, other].map((side) => side?.series()[measure]?.values ?? [])
    const middle = toMedian(ours ?? [])
    if (middle === undefined) return []
    const ratios = toRatios(ours, theirs)
    const ofFloor = ratios.length === 0 ? undefined : { median: median(ratios), ...range(ratios) }
    const goal = goals[measure]
    return {
      ...{ name, measure: measures[measure], unit: noema.series()[measure]?.unit ?? '', noema: middle, ofFloor, goal },
      floor: toMedian(theirs ?? []),
      other: toMedian(others ?? []),
      otherOfFloor: toMedian(toRatios(others, theirs)),
      ofOther: toMedian(toRatios(ours, others)),
      isMet: goal && isGoalMet(goal, ofFloor?.median ?? middle),
    }
  })

const toFigure = (value: number | undefined): string =>
  value === undefined ? '' : value.toLocaleString('en', { maximumSignificantDigits: 3 })

const toFixed = (value: number | undefined): string => (value === undefined ? '' : value.toFixed(2))

const toGoal = ({ goal, isMet }: Line): string => {
  if (!goal) return ''
  const bound = 'min' in goal ? `≥ ${goal.min}` : `≤ ${goal.max}`
  return isMet === undefined ? bound : `${bound} ${isMet ? 'met' : 'MISSED'}`
}

const columns: readonly { head: string; toCell: (line: Line) => string }[] = [
  { head: 'request', toCell: ({ name }) => name },
  { head: 'figure', toCell: ({ measure, unit }) => `${measure}, ${unit}` },
  { head: 'Noema', toCell: ({ noema }) => toFigure(noema) },
  { head: 'floor', toCell: ({ floor }) => toFigure(floor) },
  {
    head: 'times the floor',
    toCell: ({ ofFloor: of }) => (of ? `${toFixed(of.median)} (${toFixed(of.min)}–${toFixed(of.max)})` : ''),
  },
  { head: 'goal', toCell: toGoal },
  { head: 'other tree', toCell: ({ other }) => toFigure(other) },
  { head: 'times the floor', toCell: ({ otherOfFloor }) => toFixed(otherOfFloor) },
  { head: 'this / other', toCell: ({ ofOther }) => toFixed(ofOther) },
]

/** The table as text; columns without a figure are left out. */
export const formatLines = (lines: readonly Line[]): string => {
  const shown = columns.filter(({ toCell }) => lines.some((line) => toCell(line) !== ''))
  const rows = [shown.map(({ head }) => head), ...lines.map((line) => shown.map(({ toCell }) => toCell(line)))]
  return alignColumns(rows)
}
