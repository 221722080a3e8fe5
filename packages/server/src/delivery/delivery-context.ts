import type { DeliveryContent, SuccessPolicy } from '@hookline/protocol'
import type { FollowedCatalog } from '../backend/catalog.ts'
import type { Deletions } from '../backend/deletions.ts'
import type { DeliveryQueue } from '../backend/deliveries.ts'
import type { Quarantine } from '../backend/quarantine.ts'
import type { ActivityListener } from '../telemetry/activity-listener.ts'
import type { Logger } from '../telemetry/logger.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import type { Clock } from '../util/time/clock.ts'

/** Dependencies of all components that deliver events or notices. */
export interface DeliveryContext {
  readonly catalog: FollowedCatalog
  readonly deliveries: DeliveryQueue<DeliveryContent>
  readonly quarantine: Quarantine
  /** Finds deliveries of deleted users. */
  readonly deletions: Pick<Deletions, 'isPurged'>
  readonly activity: Pick<ActivityListener, 'recorded'>
  /** Overrides the success policy of each destination. */
  readonly successPolicy?: SuccessPolicy | undefined
  readonly clock: Clock
  readonly metrics: Metrics
  readonly logger: Logger
  readonly signal: AbortSignal
}
