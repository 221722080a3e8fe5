import { useQuery } from '@tanstack/react-query'
import { type ReactElement, useMemo } from 'react'
import { Select } from '../../design/controls/field.tsx'
import { Figure } from '../../design/figures/figure.tsx'
import { Plot } from '../../design/figures/plot.tsx'
import { Loaded } from '../../design/states.tsx'
import { shortNumber, wholeNumber } from '../../format/figures.ts'
import { useUrlState } from '../../shell/url-state.ts'
import { RefusedTable } from './refused-table.tsx'
import { statsQuery } from './source-stats.ts'
import {
  type Period,
  PERIODS,
  periodOf,
  receivedIn,
  refusalsIn,
  refusedAt,
  refusedIn,
} from './volume.ts'

/** How many calls a source got, and why it refused some. */
export function SourceCalls({ sourceId }: { readonly sourceId: string }): ReactElement {
  const [{ period: named }, setUrl] = useUrlState<'period'>()
  const period = periodOf(named)
  const query = useQuery(statsQuery(period, sourceId))
  return (
    <div className="flex flex-col gap-4">
      <Select
        className="self-start"
        aria-label="Period"
        value={period}
        options={Object.entries(PERIODS).map(([value, { words }]) => [value, words] as const)}
        onPick={(value) => setUrl({ period: value === '24h' ? undefined : value })}
      />
      <Loaded query={query} lines={6}>
        {({ points }) => <Counts points={points} period={period} />}
      </Loaded>
    </div>
  )
}

interface CountsProps {
  readonly points: readonly {
    readonly at: string
    readonly received: number
    readonly refused: Readonly<Record<string, number>>
  }[]
  readonly period: Period
}

function Counts({ points, period }: CountsProps): ReactElement {
  const refusals = refusalsIn(points)
  const received = receivedIn(points)
  const refused = refusedIn(points)
  const times = useMemo(() => points.map(({ at }) => Date.parse(at)), [points])
  const series = useMemo(
    () => [
      { label: 'Received', color: 'accent', values: points.map((each) => each.received) },
      { label: 'Refused', color: 'failed', values: points.map(refusedAt) },
    ],
    [points],
  )
  const words = PERIODS[period].words.toLowerCase()
  return (
    <>
      <dl className="grid grid-cols-2 gap-3">
        <Figure label="Received" value={shortNumber(received)} note="Repeated calls included" />
        <Figure label="Refused" value={shortNumber(refused)} note="Not stored" />
      </dl>
      <Plot
        label={`Calls in the ${words}: ${wholeNumber(received)} received, ${wholeNumber(refused)} refused`}
        times={times}
        series={series}
        form="areas"
        format={shortNumber}
        height={160}
      />
      <section aria-labelledby="refused">
        <h3 id="refused" className="mb-1 font-semibold">
          Refused calls
        </h3>
        {refusals.length === 0 ? (
          <p className="text-ink-soft max-w-prose">
            The source refused no call in this period. A call whose write key is not known belongs
            to no source: the list below all sources counts it.
          </p>
        ) : (
          <RefusedTable refusals={refusals} />
        )}
      </section>
    </>
  )
}
