import { type ReactElement, useMemo } from 'react'
import { Panel } from '../../../design/panel.tsx'
import type { Series } from '../../../design/figures/plot-data.ts'
import { Plot } from '../../../design/figures/plot.tsx'
import { type PeriodName, PERIODS } from '../../../domain/periods.ts'
import type { StatisticsPoint } from '../../../domain/statistics.ts'
import { sumOf, totalsOf } from '../../../domain/totals.ts'
import { duration, shortNumber, wholeNumber } from '../../../format/figures.ts'

type Points = readonly StatisticsPoint[]

interface DestinationPlotsProps {
  readonly points: Points
  readonly period: PeriodName
}

export function DestinationPlots({ points, period }: DestinationPlotsProps): ReactElement {
  const { words } = PERIODS[period]
  const { delivered, failed } = totalsOf(points)
  const counts = `${wholeNumber(delivered)} delivered, ${wholeNumber(failed)} failed`
  return (
    <div className="grid grid-cols-1 gap-4 xl:grid-cols-2">
      <PointsPlot
        title="Deliveries"
        label={`${words}: ${counts}`}
        points={points}
        seriesOf={outcomeSeries}
      />
      <PointsPlot
        title="Delivery latency"
        label={`${words}: 50th, 95th and 99th percentile of delivery latency`}
        points={points}
        seriesOf={latencySeries}
        isLatency
      />
      <PointsPlot
        title="Attempts"
        label={`${words}: attempts by HTTP status class`}
        points={points}
        seriesOf={responseSeries}
      />
    </div>
  )
}

interface PointsPlotProps {
  readonly title: string
  readonly label: string
  readonly points: Points
  readonly seriesOf: (points: Points) => Series[]
  readonly isLatency?: boolean
}

function PointsPlot(props: PointsPlotProps): ReactElement {
  const { title, label, points, seriesOf, isLatency = false } = props
  const times = useMemo(() => points.map(({ at }) => Date.parse(at)), [points])
  const series = useMemo(() => seriesOf(points), [points, seriesOf])
  const isEmpty = series.every(({ values }) => values.every((value) => !value))
  return (
    <Panel title={title} isFlush>
      {isEmpty ? (
        <p className="text-ink-soft px-4 pb-4">No data in this period.</p>
      ) : (
        <Plot
          label={label}
          times={times}
          series={series}
          form={isLatency ? 'lines' : 'areas'}
          format={isLatency ? duration : shortNumber}
        />
      )}
    </Panel>
  )
}

function outcomeSeries(points: Points): Series[] {
  return [
    { label: 'Delivered', color: 'delivered', values: points.map((each) => each.delivered) },
    { label: 'Failed', color: 'failed', values: points.map((each) => sumOf(each.failed)) },
  ]
}

const PERCENTILES = [
  ['p50', 'delivered'],
  ['p95', 'accent'],
  ['p99', 'retrying'],
] as const

function latencySeries(points: Points): Series[] {
  return PERCENTILES.map(([label, color]) => ({
    label,
    color,
    values: points.map(({ latencyMs }) => latencyMs?.[label] ?? null),
  }))
}

const RESPONSES = [
  ['2xx', '2xx', 'delivered'],
  ['3xx', '3xx', 'declined'],
  ['4xx', '4xx', 'failed'],
  ['5xx', '5xx', 'retrying'],
  ['no_response', 'No response', 'held'],
] as const

function responseSeries(points: Points): Series[] {
  return RESPONSES.map(([key, label, color]) => ({
    label,
    color,
    values: points.map(({ attempts }) => attempts[key] ?? 0),
  }))
}
