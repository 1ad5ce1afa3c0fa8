import { toAmountOr } from '../plural.ts'
import { later } from './later.tsx'
import { Skeleton } from './skeleton.tsx'

/** One line or row of bars. */
export type Series = {
  name: string
  values: readonly (number | null)[]
  tone?: 'accent' | 'good' | 'warning' | 'danger' | 'other'
}

export type ChartProps = {
  label: string
  series: readonly Series[]
  /** The time of each value, in milliseconds, ascending. */
  at: readonly number[]
  kind?: 'line' | 'bars'
  isStacked?: boolean
  height?: number
  unit?: string
  /** The axis shows UTC dates, as the service counts days in UTC. */
  isByDay?: boolean
}

const ChartCanvas = later(async () => (await import('./chart-canvas.tsx')).ChartCanvas)

/** Values over time. The chart is loaded when it is shown. A collapsed table has the same values for people who cannot see it. */
export const Chart = (props: ChartProps) => {
  const { label, series, at, height = 160, unit = '' } = props
  const day = (time: number) =>
    new Date(time)
      .toISOString()
      .slice(0, props.isByDay ? 10 : 16)
      .replace('T', ' ')
  return (
    <figure className="chart">
      <figcaption>
        <span>{label}</span>
        <span className="legend">
          {series.length > 1 &&
            series.map(({ name, tone = 'accent' }) => (
              <span key={name} data-tone={tone}>
                {name}
              </span>
            ))}
        </span>
      </figcaption>
      <ChartCanvas {...props} meanwhile={<Skeleton height={height} />} />
      <details className="chart-table">
        <summary>As a table</summary>
        <div className="data-table">
          <table aria-label={label}>
            <thead>
              <tr>
                <th scope="col">{props.isByDay ? 'Day' : 'Time'}</th>
                {series.map(({ name }) => (
                  <th key={name} scope="col" data-align="end">
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {at.map((time, index) => (
                <tr key={time}>
                  <td>{day(time)}</td>
                  {series.map(({ name, values }) => (
                    <td key={name} data-align="end">
                      {toAmountOr(values[index], '–')} {unit}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </details>
    </figure>
  )
}
