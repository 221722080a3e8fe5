import type { Logger } from 'pino'
import type { LiveTail } from '../../activity/live-tail.ts'
import type { Audit } from '../../backend/audit.ts'
import type { Catalog, KeyUses } from '../../backend/catalog.ts'
import type { Deletions, Suppressions } from '../../backend/deletions.ts'
import type { Deliveries, DeliveryReports } from '../../backend/deliveries.ts'
import type { Events } from '../../backend/events.ts'
import type { IdempotentResponses } from '../../backend/idempotent-responses.ts'
import type { Notices } from '../../backend/notices.ts'
import type { Replays } from '../../backend/replays.ts'
import type { Statistics } from '../../backend/statistics.ts'
import type { Tokens } from '../../backend/tokens.ts'
import type { Upkeep } from '../../backend/upkeep.ts'
import type { Clock } from '../../util/clock.ts'
import type { Redacted } from '../../util/redacted.ts'
import type { DatabaseCopy } from '../backup/database-copy.ts'
import type { DestinationSigns } from '../destinations/destination-signs.ts'
import type { DestinationTrials } from '../destinations/destination-trials.ts'
import type { Receipts } from '../deletions/receipts.ts'

/** What the management API works with. */
export interface AdminDeps {
  readonly catalog: Catalog
  readonly events: Events
  readonly deliveries: Deliveries
  readonly replays: Replays
  readonly deletions: Deletions
  readonly notices: Notices
  readonly suppressions: Suppressions
  readonly tokens: Tokens
  readonly keyUses: KeyUses
  readonly audit: Audit
  readonly idempotentResponses: IdempotentResponses
  readonly reports: DeliveryReports
  readonly statistics: Statistics
  readonly upkeep: Upkeep
  readonly live: LiveTail
  /** Makes a copy of everything kept, as it is at one moment. */
  readonly copyDatabase: () => Promise<DatabaseCopy>
  readonly signs: DestinationSigns
  readonly trials: DestinationTrials
  readonly receipts: Receipts
  /** Says that deliveries became due, or a replay or a deletion was made: whoever works on them looks at once. */
  readonly wake: () => void
  readonly clock: Clock
  /** Requests per second and token; `null` for no limit. */
  readonly rateLimit: number | null
  /** Ports that webhooks may be at although they are not for web servers. */
  readonly allowedPorts: ReadonlySet<number>
  /** Whoever has it may do everything. */
  readonly adminToken: Redacted
  readonly logger: Logger
}
