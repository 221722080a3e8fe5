import type { Carried, SuccessPolicy } from '@hookline/protocol'
import type { FollowedCatalog } from '../backend/catalog.ts'
import type { Deletions } from '../backend/deletions.ts'
import type { DeliveryQueue } from '../backend/deliveries.ts'
import type { Quarantine } from '../backend/quarantine.ts'
import type { ActivityListener } from '../telemetry/activity-listener.ts'
import type { Logger } from '../telemetry/logger.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import type { Clock } from '../util/time/clock.ts'

/** What all parts of the delivery of events, or of notices, have in common. */
export interface DeliveryContext {
  readonly catalog: FollowedCatalog
  readonly deliveries: DeliveryQueue<Carried>
  readonly quarantine: Quarantine
  /** Knows which deliveries in memory belong to a user who was deleted. */
  readonly deletions: Pick<Deletions, 'isPurged'>
  readonly activity: Pick<ActivityListener, 'recorded'>
  /** In place of the success policy of each destination. */
  readonly successPolicy?: SuccessPolicy | undefined
  readonly clock: Clock
  readonly metrics: Metrics
  readonly logger: Logger
  /** Aborts when the service stops: no further attempt begins. */
  readonly signal: AbortSignal
}
