import { useEffect, useRef } from 'react'
import uPlot from 'uplot'
import { toAmount } from '../plural.ts'
import 'uplot/dist/uPlot.min.css'
import type { ChartProps, Series } from './chart.tsx'
import { readColor } from './read-color.ts'

const toColor = (name: string): string => readColor(`--${name}`)

/** Stacks each series on those before it, highest first, so that lower ones are drawn over it. */
const stack = (series: readonly Series[]): Series[] => {
  const sums: number[] = []
  return series
    .map((one) => ({
      ...one,
      values: one.values.map((value, index) => {
        sums[index] = (sums[index] ?? 0) + (value ?? 0)
        return sums[index] ?? 0
      }),
    }))
    .reverse()
}

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']
const toDay = (seconds: number): string => {
  const day = new Date(seconds * 1000)
  return `${months[day.getUTCMonth()]} ${day.getUTCDate()}`
}

const widenByHalfABar =
  (count: number) =>
  (_plot: uPlot, min: number, max: number): [number, number] => {
    const half = count > 1 ? (max - min) / (count - 1) / 2 : 0
    return [min - half, max + half]
  }

const toOptions = (props: ChartProps, drawn: readonly Series[], width: number): uPlot.Options => {
  const { kind = 'line', height = 160, isByDay = false } = props
  const axis = {
    stroke: toColor('muted'),
    grid: { stroke: toColor('line'), width: 1 },
    ticks: { show: false },
    font: '12px system-ui, sans-serif',
  }
  const bars = uPlot.paths.bars?.({ size: [0.7, 40] })
  return {
    width,
    height,
    legend: { show: false },
    cursor: { y: false, points: { show: false } },
    // Half of the last label lies beyond the last value.
    padding: [8, 24, 0, 0],
    ...(isByDay && { tzDate: (seconds: number) => uPlot.tzDate(new Date(seconds * 1000), 'Etc/UTC') }),
    scales: {
      // The first and the last bar are drawn whole.
      ...(kind === 'bars' && { x: { range: widenByHalfABar(props.at.length) } }),
      y: { range: (_plot, _min, max) => [0, Math.max(1, max * 1.05)] },
    },
    axes: [
      {
        ...axis,
        grid: { show: false },
        size: 28,
        ...(isByDay && { values: (_plot: uPlot, days: number[]) => days.map(toDay) }),
      },
      {
        ...axis,
        size: 46,
        values: (_plot, splits) => splits.map((value) => (Number.isInteger(value) ? toAmount(value) : '')),
      },
    ],
    series: [
      {},
      ...drawn.map(({ name, tone = 'accent' }) => {
        const color = toColor(tone)
        const isBars = kind === 'bars'
        return {
          label: name,
          stroke: color,
          width: isBars ? 0 : 1.5,
          fill: isBars ? color : `color-mix(in srgb, ${color} 12%, transparent)`,
          points: { show: !isBars && props.at.length < 3 },
          ...(isBars && bars && { paths: bars }),
        }
      }),
    ],
  }
}

/** The canvas of a chart, redrawn when its values, its width or the colors change. */
export const ChartCanvas = (props: ChartProps) => {
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const element = box.current
    if (!element) return
    let plot: uPlot | undefined
    const draw = () => {
      plot?.destroy()
      const drawn = props.isStacked ? stack(props.series) : [...props.series]
      const data: uPlot.AlignedData = [props.at.map((time) => time / 1000), ...drawn.map(({ values }) => [...values])]
      plot = new uPlot(toOptions(props, drawn, element.clientWidth), data, element)
    }
    const sizes = new ResizeObserver(draw)
    sizes.observe(element)
    const themes = new MutationObserver(draw)
    themes.observe(document.documentElement, { attributeFilter: ['data-theme'] })
    const scheme = matchMedia('(prefers-color-scheme: dark)')
    scheme.addEventListener('change', draw)
    return () => {
      sizes.disconnect()
      themes.disconnect()
      scheme.removeEventListener('change', draw)
      plot?.destroy()
    }
  }, [props])
  return <div ref={box} className="chart-canvas" style={{ height: props.height ?? 160 }} aria-hidden="true" />
}
