import { useQuery } from '@tanstack/react-query'
import { type ReactElement, useState } from 'react'
import { Figure } from '../../design/figures/figure.tsx'
import { Loaded } from '../../design/states.tsx'
import { type PeriodName, PERIODS } from '../../domain/periods.ts'
import { type StatisticsPoint, statisticsQuery } from '../../domain/statistics.ts'
import { systemQuery } from '../../domain/system.ts'
import { meanPendingOf, p95InWords, p95Of, totalsOf } from '../../domain/totals.ts'
import { percent, shortNumber, wholeNumber } from '../../format/figures.ts'
import { relativeTime } from '../../format/times.ts'
import { useLive } from '../../stream/use-live.ts'
import { countChange, durationChange, shareChange } from './change.ts'

interface FiguresProps {
  readonly period: PeriodName
}

/** Key figures, compared with the previous period. */
export function Figures({ period }: FiguresProps): ReactElement {
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

function FourFigures({
  points,
  period,
}: FiguresProps & { readonly points: readonly StatisticsPoint[] }): ReactElement {
  const { data: system } = useQuery(systemQuery)
  const perSecond = useReceivedPerSecond()
  const half = Math.ceil(points.length / 2)
  const now = summaryOf(points.slice(half))
  const before = summaryOf(points.slice(0, half))
  const rate = perSecond ?? now.received / (PERIODS[period].ms / 1_000)
  const { pending, oldestPendingAt = null } = system?.backlog ?? {}
  const oldest =
    oldestPendingAt === null
      ? 'none pending'
      : `oldest ${relativeTime(Date.parse(oldestPendingAt), Date.now())}`
  return (
    <dl className="grid grid-cols-2 gap-3 xl:grid-cols-4">
      <Figure
        label="Received"
        value={wholeNumber(now.received)}
        note={`${shortNumber(rate)} / s${perSecond === undefined ? ' on average' : ' now'}; ${countChange(now.received, before.received)}`}
      />
      <Figure
        label="Delivered"
        value={percent(now.delivered, now.completed)}
        note={`${shortNumber(now.delivered)} of ${shortNumber(now.completed)} finished; ${shareChange(now.share, before.share)}`}
      />
      <Figure
        label="Pending"
        value={pending === undefined ? '–' : wholeNumber(pending)}
        note={`${oldest}; average: ${countChange(now.pending, before.pending)}`}
      />
      <Figure
        label="Delivery latency, p95"
        value={p95InWords(now.p95)}
        note={durationChange(now.p95, before.p95)}
      />
    </dl>
  )
}

function summaryOf(points: readonly StatisticsPoint[]) {
  const { received, delivered, failed } = totalsOf(points)
  const completed = delivered + failed
  const share = completed === 0 ? null : delivered / completed
  const [pending, p95] = [meanPendingOf(points), p95Of(points)]
  return { received, delivered, completed, share, pending, p95 }
}

/** The current rate from the live stream; `undefined` before its first message. */
function useReceivedPerSecond(): number | undefined {
  const [received, setReceived] = useState<number>()
  useLive('counts', (messages) => {
    const last = messages.findLast((each) => each.kind === 'counts')
    if (last?.kind === 'counts') setReceived(last.received / (last.durationMs / 1_000))
  })
  return received
}
