import { useQuery } from '@tanstack/react-query'
import { type ReactElement, useMemo } from 'react'
import { Panel } from '../../design/panel.tsx'
import { Plot } from '../../design/figures/plot.tsx'
import { Loaded } from '../../design/states.tsx'
import { type PeriodName, PERIODS } from '../../domain/periods.ts'
import { type StatisticsPoint, statisticsQuery } from '../../domain/statistics.ts'
import { sumOf, totalsOf } from '../../domain/totals.ts'
import { shortNumber, wholeNumber } from '../../format/figures.ts'

export function OutcomesPanel({ period }: { readonly period: PeriodName }): ReactElement {
  return (
    <Panel title="Delivery outcomes" isFlush>
      <Loaded query={useQuery(statisticsQuery(period))} lines={6}>
        {({ points }) => <Outcomes points={points} words={PERIODS[period].words} />}
      </Loaded>
    </Panel>
  )
}

interface OutcomesProps {
  readonly points: readonly StatisticsPoint[]
  readonly words: string
}

function Outcomes({ points, words }: OutcomesProps): ReactElement {
  const times = useMemo(() => points.map(({ at }) => Date.parse(at)), [points])
  const series = useMemo(
    () => [
      { label: 'Delivered', color: 'delivered', values: points.map((each) => each.delivered) },
      { label: 'Failed', color: 'failed', values: points.map((each) => sumOf(each.failed)) },
      { label: 'Declined', color: 'declined', values: points.map((each) => sumOf(each.declined)) },
    ],
    [points],
  )
  const { delivered, failed, declined } = totalsOf(points)
  const label = `${words}: ${wholeNumber(delivered)} delivered, ${wholeNumber(failed)} failed, ${wholeNumber(declined)} declined`
  return <Plot label={label} times={times} series={series} form="areas" format={shortNumber} />
}
