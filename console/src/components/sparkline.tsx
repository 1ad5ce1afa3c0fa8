type SparklineProps = { values: readonly number[] /** What it shows, in a sentence. */; label: string }

const [width, height] = [96, 24]

/** The trend of a value, as high as a line of text. Use a `Chart` if people need to read values. */
export const Sparkline = ({ values, label }: SparklineProps) => {
  const max = Math.max(1, ...values)
  const step = values.length > 1 ? width / (values.length - 1) : width
  const points = values.map((value, index) => `${index * step},${height - 2 - (value / max) * (height - 4)}`)
  return (
    <svg
      className="sparkline"
      viewBox={`0 0 ${width} ${height}`}
      width={width}
      height={height}
      role="img"
      aria-label={label}
    >
      <polyline points={points.join(' ')} />
    </svg>
  )
}
