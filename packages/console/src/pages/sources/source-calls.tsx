import { useQuery } from '@tanstack/react-query'
import { type ReactElement, useMemo } from 'react'
import { Select } from '../../design/controls/field.tsx'
import { Figure } from '../../design/figures/figure.tsx'
import { Plot } from '../../design/figures/plot.tsx'
import { Loaded } from '../../design/states.tsx'
import { PERIOD_CHOICES, PERIODS, periodOf } from '../../domain/periods.ts'
import { type StatisticsPoint, statisticsQuery } from '../../domain/statistics.ts'
import { sumOf, totalsOf } from '../../domain/totals.ts'
import { shortNumber, wholeNumber } from '../../format/figures.ts'
import { useUrlState } from '../../shell/url-state.ts'
import { RejectedCalls } from './rejected-calls.tsx'

/** The call volume of a source, with the reasons for rejected calls. */
export function SourceCalls({ sourceId }: { readonly sourceId: string }): ReactElement {
  const [url, setUrl] = useUrlState<'period'>()
  const period = periodOf(url.period ?? '24h')
  return (
    <div className="flex flex-col gap-4">
      <Select
        className="self-start"
        aria-label="Period"
        value={period}
        options={PERIOD_CHOICES}
        onPick={(value) => setUrl({ period: value === '24h' ? undefined : value })}
      />
      <Loaded query={useQuery(statisticsQuery(period, { sourceId }))} lines={6}>
        {({ points }) => <Counts points={points} words={PERIODS[period].words} />}
      </Loaded>
    </div>
  )
}

interface CountsProps {
  readonly points: readonly StatisticsPoint[]
  readonly words: string
}

function Counts({ points, words }: CountsProps): ReactElement {
  const { received, rejected } = totalsOf(points)
  const times = useMemo(() => points.map(({ at }) => Date.parse(at)), [points])
  const series = useMemo(
    () => [
      { label: 'Received', color: 'accent', values: points.map((each) => each.received) },
      { label: 'Rejected', color: 'failed', values: points.map((each) => sumOf(each.rejected)) },
    ],
    [points],
  )
  return (
    <>
      <dl className="grid grid-cols-2 gap-3">
        <Figure label="Received" value={shortNumber(received)} note="Including duplicates" />
        <Figure label="Rejected" value={shortNumber(rejected)} note="Not stored" />
      </dl>
      <Plot
        label={`${words}: ${wholeNumber(received)} received, ${wholeNumber(rejected)} rejected`}
        times={times}
        series={series}
        form="areas"
        format={shortNumber}
        height={160}
      />
      <section aria-labelledby="rejected">
        <h3 id="rejected" className="mb-1 font-semibold">
          Rejected calls
        </h3>
        <RejectedCalls points={points} />
      </section>
    </>
  )
}
