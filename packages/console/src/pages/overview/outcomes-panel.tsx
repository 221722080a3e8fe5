import { useQuery } from '@tanstack/react-query'
import { type ReactElement, useMemo } from 'react'
import { Panel } from '../../design/panel.tsx'
import { Plot } from '../../design/figures/plot.tsx'
import { Loaded } from '../../design/states.tsx'
import { type PeriodName, PERIODS } from '../../domain/periods.ts'
import { type StatisticsPoint, statisticsQuery } from '../../domain/statistics.ts'
import { sumOf, totalsOf } from '../../domain/totals.ts'
import { shortNumber, wholeNumber } from '../../format/figures.ts'

/** What became of the events: delivered, to be retried, failed, declined. */
export function OutcomesPanel({ period }: { readonly period: PeriodName }): ReactElement {
  const statistics = useQuery(statisticsQuery(period))
  return (
    <Panel title="What became of the events" isFlush>
      <Loaded query={statistics} lines={6}>
        {({ points }) => <Outcomes points={points} period={period} />}
      </Loaded>
    </Panel>
  )
}

interface OutcomesProps {
  readonly points: readonly StatisticsPoint[]
  readonly period: PeriodName
}

function Outcomes({ points, period }: OutcomesProps): ReactElement {
  const times = useMemo(() => points.map(({ at }) => Date.parse(at)), [points])
  const series = useMemo(
    () => [
      { label: 'Delivered', color: 'delivered', values: points.map((each) => each.delivered) },
      { label: 'Retried', color: 'retrying', values: points.map((each) => each.retried) },
      { label: 'Failed', color: 'failed', values: points.map((each) => sumOf(each.failed)) },
      { label: 'Declined', color: 'declined', values: points.map((each) => sumOf(each.filtered)) },
    ],
    [points],
  )
  const { delivered, retried, failed, declined } = totalsOf(points)
  const label = `${PERIODS[period].words}: ${wholeNumber(delivered)} delivered, ${wholeNumber(retried)} retried, ${wholeNumber(failed)} failed, ${wholeNumber(declined)} declined`
  return <Plot label={label} times={times} series={series} form="areas" format={shortNumber} />
}
