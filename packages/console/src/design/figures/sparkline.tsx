import type { ReactElement } from 'react'

interface SparklineProps {
  /** The last value is incomplete, so the line to it is dashed. */
  readonly values: readonly number[]
  /** For screen readers: "Delivered in the last hour: 120". */
  readonly label: string
  readonly className?: string
}

const WIDTH = 96
const HEIGHT = 24

export function Sparkline({ values, label, className }: SparklineProps): ReactElement {
  const max = Math.max(1, ...values)
  const step = WIDTH / Math.max(1, values.length - 1)
  const points = values.map((value, index) => {
    const y = HEIGHT - 1 - (value / max) * (HEIGHT - 2)
    return `${(index * step).toFixed(1)},${y.toFixed(1)}`
  })
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      className={className ?? 'h-6 w-24'}
      fill="none"
      stroke="currentColor"
      strokeWidth="1.5"
    >
      <polyline points={points.slice(0, -1).join(' ')} vectorEffect="non-scaling-stroke" />
      <polyline
        points={points.slice(-2).join(' ')}
        strokeDasharray="2 2"
        vectorEffect="non-scaling-stroke"
      />
    </svg>
  )
}
