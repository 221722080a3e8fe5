import { useQuery } from '@tanstack/react-query'
import type { ReactElement } from 'react'
import { Figure } from '../../design/figures/figure.tsx'
import { Loaded } from '../../design/states.tsx'
import type { PeriodName } from '../../domain/periods.ts'
import { type StatisticsPoint, statisticsQuery } from '../../domain/statistics.ts'
import { systemQuery } from '../../domain/system.ts'
import {
  meanPendingOf,
  describeP95,
  p95Of,
  receivedPerSecond,
  totalsOf,
} from '../../domain/totals.ts'
import { percent, rate, shortNumber, wholeNumber } from '../../format/figures.ts'
import { relativeTime } from '../../format/times.ts'
import { countChange, durationChange, meanChange, shareChange } from './change.ts'

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
        {({ points }) => <FourFigures points={points} />}
      </Loaded>
    </div>
  )
}

function FourFigures({ points }: { readonly points: readonly StatisticsPoint[] }): ReactElement {
  const { data: system } = useQuery(systemQuery)
  const { data: lastHour } = useQuery(statisticsQuery('1h'))
  const perSecond = receivedPerSecond(lastHour?.points ?? [], Date.now())
  const half = Math.ceil(points.length / 2)
  const now = summaryOf(points.slice(half))
  const before = summaryOf(points.slice(0, half))
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
        note={`${perSecond === null ? '' : `${rate(perSecond)} on average over the last 1–2 min; `}${countChange(now.received, before.received)}`}
      />
      <Figure
        label="Delivered"
        value={percent(now.delivered, now.completed)}
        note={`${shortNumber(now.delivered)} of ${shortNumber(now.completed)} finished deliveries; ${shareChange(now.share, before.share)}`}
      />
      <Figure
        label="Pending"
        value={pending === undefined ? '–' : wholeNumber(pending)}
        note={[oldest, meanChange(now.pending, before.pending)].filter(Boolean).join('; ')}
      />
      <Figure
        label="Delivery latency, p95"
        value={describeP95(now.p95)}
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
