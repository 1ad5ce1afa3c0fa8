import type { ActivityDay } from '@noema/contracts/activity-days.ts'
import { useQuery } from '@tanstack/react-query'
import { Chart, type Series } from '../../components/chart.tsx'
import { FailureNotice } from '../../components/notice.tsx'
import { Panel } from '../../components/panel.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { activityDaysQuery } from '../../data/home.ts'
import { toAmount } from '../../plural.ts'
import { useSession } from '../../session/session.tsx'

const height = 130

const listRuns = (days: readonly ActivityDay[]): Series[] => [
  { name: 'completed', tone: 'good', values: days.map(({ runs }) => runs.completed) },
  { name: 'failed', tone: 'danger', values: days.map(({ runs }) => runs.failed) },
  { name: 'abandoned', tone: 'warning', values: days.map(({ runs }) => runs.abandoned) },
]

const sum = (days: readonly ActivityDay[], toNumber: (day: ActivityDay) => number): string =>
  toAmount(days.reduce((total, day) => total + toNumber(day), 0))

/** Writes and runs of the last thirty days. */
export const DayCharts = () => {
  const { data, error, refetch } = useQuery(activityDaysQuery(useSession()))
  const days = data?.days ?? []
  const at = days.map(({ day }) => Date.parse(day))
  const cost = days.reduce((total, day) => total + day.costCents, 0) / 100
  return (
    <Panel
      title="Thirty days"
      description={
        data &&
        `${sum(days, ({ operations }) => operations)} operations, ${sum(days, (day) => day.inputTokens + day.outputTokens)} tokens, $${cost.toFixed(2)}`
      }
    >
      {!data && !error && <Skeleton height={height} />}
      {!data && <FailureNotice error={error} onRetry={() => void refetch()} />}
      {data && (
        <div className="home-charts">
          <Chart
            label="Writes by day"
            kind="bars"
            isByDay
            at={at}
            height={height}
            series={[{ name: 'writes', values: days.map(({ writes }) => writes) }]}
          />
          <Chart
            label="Runs by the day they finished"
            kind="bars"
            isByDay
            isStacked
            at={at}
            height={height}
            series={listRuns(days)}
          />
        </div>
      )}
    </Panel>
  )
}
