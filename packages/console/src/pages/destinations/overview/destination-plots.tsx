import { type ReactElement, useMemo } from 'react'
import { Panel } from '../../../design/panel.tsx'
import { Plot, type Series } from '../../../design/figures/plot.tsx'
import { type PeriodName, PERIODS } from '../../../domain/periods.ts'
import type { StatisticsPoint } from '../../../domain/statistics.ts'
import { totalsOf } from '../../../domain/totals.ts'
import { duration, shortNumber, wholeNumber } from '../../../format/figures.ts'
import { answerSeries, latencySeries, outcomeSeries } from './series.ts'

interface DestinationPlotsProps {
  readonly points: readonly StatisticsPoint[]
  readonly period: PeriodName
}

/** The course of the period: outcomes, what receivers answered, how long deliveries took. */
export function DestinationPlots({ points, period }: DestinationPlotsProps): ReactElement {
  const { words } = PERIODS[period]
  const { delivered, failed, retried } = totalsOf(points)
  const counts = `${words}: ${wholeNumber(delivered)} delivered, ${wholeNumber(retried)} retried, ${wholeNumber(failed)} failed`
  return (
    <div className="grid grid-cols-1 gap-4 xl:grid-cols-2">
      <PointsPlot
        title="Deliveries"
        label={counts}
        form="areas"
        format={shortNumber}
        points={points}
        seriesOf={outcomeSeries}
      />
      <PointsPlot
        title="From receipt to delivery"
        label={`${words}: the time that 50, 95 and 99 of 100 deliveries took at most`}
        form="lines"
        format={duration}
        points={points}
        seriesOf={latencySeries}
      />
      <PointsPlot
        title="What receivers answered"
        label={`${words}: attempts by class of the HTTP status`}
        form="areas"
        format={shortNumber}
        points={points}
        seriesOf={answerSeries}
      />
    </div>
  )
}

interface PointsPlotProps {
  readonly title: string
  readonly label: string
  readonly form: 'areas' | 'lines'
  readonly format: (value: number) => string
  readonly points: readonly StatisticsPoint[]
  readonly seriesOf: (points: readonly StatisticsPoint[]) => Series[]
}

function PointsPlot(props: PointsPlotProps): ReactElement {
  const { title, label, form, format, points, seriesOf } = props
  const times = useMemo(() => points.map(({ at }) => Date.parse(at)), [points])
  const series = useMemo(() => seriesOf(points), [points, seriesOf])
  const isEmpty = series.every(({ values }) => values.every((value) => (value ?? 0) === 0))
  return (
    <Panel title={title} isFlush>
      {isEmpty ? (
        <p className="text-ink-soft px-4 pb-4">Nothing in this period.</p>
      ) : (
        <Plot label={label} times={times} series={series} form={form} format={format} />
      )}
    </Panel>
  )
}
