import { useQuery } from '@tanstack/react-query'
import { type ReactElement, useState } from 'react'
import { Figure } from '../../design/figures/figure.tsx'
import { Loaded } from '../../design/states.tsx'
import { type PeriodName, PERIODS } from '../../domain/periods.ts'
import { type StatisticsPoint, statisticsQuery } from '../../domain/statistics.ts'
import { systemQuery } from '../../domain/system.ts'
import { meanPendingOf, p95InWords, p95Of, type Totals, totalsOf } from '../../domain/totals.ts'
import { percent, shortNumber, wholeNumber } from '../../format/figures.ts'
import { relativeTime } from '../../format/times.ts'
import { useLive } from '../../stream/use-live.ts'
import {
  changeInWords,
  durationChangeInWords,
  meanChangeInWords,
  shareChangeInWords,
} from './change.ts'

/** Four numbers, each beside that of the period before. */
export function Figures({ period }: { readonly period: PeriodName }): ReactElement {
  const statistics = useQuery(statisticsQuery(period, {}, true))
  const isLate = statistics.data === undefined
  return (
    <div className={isLate ? 'bg-surface border-line rounded-panel border' : ''}>
      <Loaded query={statistics} lines={3}>
        {({ points }) => <FourFigures points={points} period={period} />}
      </Loaded>
    </div>
  )
}

interface FourFiguresProps {
  readonly points: readonly StatisticsPoint[]
  readonly period: PeriodName
}

function FourFigures({ points, period }: FourFiguresProps): ReactElement {
  const { data: system } = useQuery(systemQuery)
  const perSecond = useReceivedPerSecond()
  const now = points.slice(Math.ceil(points.length / 2))
  const before = points.slice(0, Math.ceil(points.length / 2))
  const [totals, totalsBefore] = [totalsOf(now), totalsOf(before)]
  const [p95, p95Before] = [p95Of(now), p95Of(before)]
  const { received } = totals
  const backlog = system?.backlog
  return (
    <dl className="grid grid-cols-2 gap-3 xl:grid-cols-4">
      <Figure
        label="Received"
        value={wholeNumber(received)}
        note={`${perSecond ?? shortNumber(received / (PERIODS[period].ms / 1_000))} / s${perSecond === undefined ? ' on average' : ' now'}; ${changeInWords(received, totalsBefore.received)}`}
      />
      <Figure
        label="Delivered"
        value={percent(totals.delivered, endedOf(totals))}
        note={`${shortNumber(totals.delivered)} of ${shortNumber(endedOf(totals))} that ended; ${shareChangeInWords(shareOf(totals), shareOf(totalsBefore))}`}
      />
      <Figure
        label="Pending"
        value={backlog === undefined ? '–' : wholeNumber(backlog.pending)}
        note={`${
          backlog?.oldestPendingAt == null
            ? 'nothing waits'
            : `the oldest from ${relativeTime(Date.parse(backlog.oldestPendingAt), Date.now())}`
        }; ${meanChangeInWords(meanPendingOf(now), meanPendingOf(before))}`}
      />
      <Figure
        label="From receipt to delivery, p95"
        value={p95InWords(p95)}
        note={durationChangeInWords(p95, p95Before)}
      />
    </dl>
  )
}

function endedOf({ delivered, failed }: Totals): number {
  return delivered + failed
}

function shareOf(totals: Totals): number | null {
  return endedOf(totals) === 0 ? null : totals.delivered / endedOf(totals)
}

/** Calls in the last second, as the stream tells; `undefined` before its first message. */
function useReceivedPerSecond(): string | undefined {
  const [received, setReceived] = useState<number>()
  useLive('counts', (messages) => {
    const last = messages.findLast((each) => each.kind === 'counts')
    if (last?.kind === 'counts') setReceived(last.received / (last.durationMs / 1_000))
  })
  return received === undefined ? undefined : shortNumber(received)
}
