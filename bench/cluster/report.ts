import { alignColumns } from '../parts/align.ts'
import { median } from '../parts/statistics.ts'
import type { Work, Works } from './servers.ts'
import { roles, type SideName, sides } from './sides.ts'

type Rounds = readonly Works[]
type Measured = ReadonlyMap<SideName, Rounds>

const columns: readonly { head: string; toValue: (work: Work) => number }[] = [
  { head: 'statements', toValue: ({ statements }) => statements },
  { head: 'transactions', toValue: ({ transactions }) => transactions },
  { head: 'prepared transactions', toValue: ({ prepared }) => prepared },
  { head: 'WAL, bytes', toValue: ({ wal }) => wal },
  { head: 'CPU, µs', toValue: ({ cpu }) => cpu },
]

const toMedian = (rounds: Rounds, role: string, toValue: (work: Work) => number): number =>
  median(
    rounds.flatMap(({ servers }) => [...servers].filter(([name]) => name === role).map(([, work]) => toValue(work))),
  )

const toCpu = ({ servers }: Works): number => [...servers.values()].reduce((sum, { cpu }) => sum + cpu, 0)

/** The sides of a round ran one after the other, so their ratio is steadier than either figure. */
const toRatio = (measured: Measured, side: SideName): number => {
  const plain = measured.get('one server') ?? []
  return median((measured.get(side) ?? []).map((round, at) => toCpu(round) / toCpu(plain[at] ?? round)))
}

type Verdict = { what: string; value: number; max: number }

const judge = (measured: Measured, side: 'cluster' | 'workers'): Verdict[] => {
  const [coordinator, own, other] = roles[side]
  const rounds = measured.get(side) ?? []
  const toShare = (role: string) =>
    median(rounds.map(({ servers }) => (servers.get(role)?.cpu ?? 0) / (servers.get(own)?.cpu ?? 1)))
  const prepared = [coordinator, own, other].map((role) => toMedian(rounds, role, (work) => work.prepared))
  return [
    { what: 'CPU of the other worker, times that of the worker with the Brains', value: toShare(other), max: 0.1 },
    { what: 'CPU of the coordinator, times that of the worker with the Brains', value: toShare(coordinator), max: 0.1 },
    { what: 'prepared transactions a write', value: Math.max(...prepared), max: 0 },
    { what: 'CPU of all servers, times that of one server', value: toRatio(measured, side), max: 1.3 },
  ].map(({ what, ...verdict }) => ({ what: `${side}: ${what}`, ...verdict }))
}

const toFigure = (value: number): string => value.toLocaleString('en', { maximumSignificantDigits: 3 })

/** The medians of each server for one write, and the ratios that have a goal. */
export const formatReport = (measured: Measured): string => {
  const rows = sides.flatMap((side) => {
    const rounds = measured.get(side) ?? []
    const service = [side, 'service', '', '', '', '', toFigure(median(rounds.map((round) => round.service)))]
    const servers = roles[side].map((role) => [
      side,
      role,
      ...columns.map(({ toValue }) => toFigure(toMedian(rounds, role, toValue))),
    ])
    return [...servers, service]
  })
  const verdicts = (['cluster', 'workers'] as const)
    .flatMap((side) => judge(measured, side))
    .map(({ what, value, max }) => `${what}: ${value.toFixed(2)} (≤ ${max} ${value <= max ? 'met' : 'MISSED'})`)
  const head = ['for one write', '', ...columns.map(({ head }) => head)]
  return [alignColumns([head, ...rows]), ...verdicts].join('\n')
}
