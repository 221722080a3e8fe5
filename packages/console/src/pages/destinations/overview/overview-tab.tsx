import { useQuery } from '@tanstack/react-query'
import type { ReactElement } from 'react'
import { Select } from '../../../design/controls/field.tsx'
import { Figure } from '../../../design/figures/figure.tsx'
import { Loaded } from '../../../design/states.tsx'
import { Time } from '../../../design/texts/time.tsx'
import type { DestinationProps, Health } from '../../../domain/destinations/destination-query.ts'
import { Warnings } from '../../../domain/destinations/warnings.tsx'
import { FailurePanel } from '../../../domain/failures/failure-panel.tsx'
import { PERIOD_CHOICES, periodOf } from '../../../domain/periods.ts'
import { type StatisticsPoint, statisticsQuery } from '../../../domain/statistics.ts'
import { describeP95, p95Of, sumOf, totalsOf } from '../../../domain/totals.ts'
import { percent, shortNumber, wholeNumber } from '../../../format/figures.ts'
import { useUrlState } from '../../../shell/url-state.ts'
import { DestinationPlots } from './destination-plots.tsx'
import { WaitingPanel } from './waiting-panel.tsx'
import { WebhooksPanel } from './webhooks-panel.tsx'

export function OverviewTab({ destination }: DestinationProps): ReactElement {
  const [url, setUrl] = useUrlState<'period'>()
  const period = periodOf(url.period)
  const { id, health, warnings } = destination
  const statistics = useQuery(statisticsQuery(period, { destinationId: id }))
  return (
    <div className="flex flex-col gap-4">
      <Warnings warnings={warnings} />
      <div className="flex justify-end">
        <Select
          aria-label="Period"
          options={PERIOD_CHOICES}
          value={period}
          onPick={(picked) => setUrl({ period: picked === '1h' ? undefined : picked })}
        />
      </div>
      <Loaded query={statistics} lines={4}>
        {({ points }) => <Figures points={points} health={health} />}
      </Loaded>
      <WebhooksPanel destination={destination} />
      <WaitingPanel destination={destination} />
      <FailurePanel destinationId={id} />
      {statistics.data && <DestinationPlots points={statistics.data.points} period={period} />}
    </div>
  )
}

interface FiguresProps {
  readonly points: readonly StatisticsPoint[]
  readonly health: Health
}

function Figures({ points, health }: FiguresProps): ReactElement {
  const { delivered, failed, retried } = totalsOf(points)
  const finished = delivered + failed
  const attempts = points.reduce((sum, point) => sum + sumOf(point.attempts), 0)
  const { pending, held, oldestPendingAt } = health
  return (
    <dl className="grid grid-cols-2 gap-3 xl:grid-cols-4">
      <Figure
        label="Delivered"
        value={percent(delivered, finished)}
        note={`${shortNumber(delivered)} of ${shortNumber(finished)} finished`}
      />
      <Figure
        label="Attempts"
        value={wholeNumber(attempts)}
        note={`${shortNumber(retried)} failed and retried`}
      />
      <Figure
        label="Backlog"
        value={wholeNumber(pending + held)}
        note={
          oldestPendingAt !== null && (
            <>
              oldest <Time at={oldestPendingAt} />
            </>
          )
        }
      />
      <Figure label="Delivery latency, p95" value={describeP95(p95Of(points))} />
    </dl>
  )
}
