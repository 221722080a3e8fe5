import { useQuery } from '@tanstack/react-query'
import type { ReactElement } from 'react'
import { Select } from '../../../design/controls/field.tsx'
import { Loaded } from '../../../design/states.tsx'
import type { HealthyDestination } from '../../../domain/destinations/destination-query.ts'
import { Warnings } from '../../../domain/destinations/warnings.tsx'
import { FailurePanel } from '../../../domain/failures/failure-panel.tsx'
import { PERIOD_CHOICES, periodOf } from '../../../domain/periods.ts'
import { statisticsQuery } from '../../../domain/statistics.ts'
import { useUrlState } from '../../../shell/url-state.ts'
import { DestinationFigures } from './destination-figures.tsx'
import { DestinationPlots } from './destination-plots.tsx'
import { WaitingPanel } from './waiting-panel.tsx'
import { WebhooksPanel } from './webhooks-panel.tsx'

/** How the destination does: what is wrong first, then its course. */
export function OverviewTab({
  destination,
}: {
  readonly destination: HealthyDestination
}): ReactElement {
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
        {({ points }) => <DestinationFigures points={points} health={health} />}
      </Loaded>
      <WebhooksPanel destination={destination} />
      <WaitingPanel destination={destination} />
      <FailurePanel destinationId={id} />
      {statistics.data && <DestinationPlots points={statistics.data.points} period={period} />}
    </div>
  )
}
