import type { Audit } from './audit.ts'
import type { Catalog } from './catalog.ts'
import type { Deletions } from './deletions.ts'
import type { Deliveries, DeliveryReports } from './deliveries.ts'
import type { Events } from './events.ts'
import type { KeptAnswers } from './kept-answers.ts'
import type { KeyUses } from './key-uses.ts'
import type { Log } from './log.ts'
import type { NoticeQueue, Notices } from './notices.ts'
import type { Quarantine } from './quarantine.ts'
import type { Replays } from './replays.ts'
import type { Statistics } from './statistics.ts'
import type { Suppressions } from './suppressions.ts'
import type { Tokens } from './tokens.ts'
import type { Upkeep } from './upkeep.ts'

/** Everything the service keeps. `embedded` and `cluster` are the two there are; service.ts picks one. */
export interface Backend extends AsyncDisposable {
  readonly log: Log
  readonly catalog: Catalog
  readonly events: Events
  readonly deliveries: Deliveries
  readonly quarantine: Quarantine
  readonly replays: Replays
  readonly upkeep: Upkeep
  readonly deletions: Deletions
  readonly suppressions: Suppressions
  readonly notices: Notices
  readonly noticeQueue: NoticeQueue
  readonly tokens: Tokens
  readonly keyUses: KeyUses
  readonly audit: Audit
  readonly keptAnswers: KeptAnswers
  readonly reports: DeliveryReports
  readonly statistics: Statistics
  /**
   * Writes a copy of everything kept, as it is at one moment, to a file that is not there yet. Service goes on
   * meanwhile; the file appears whole or not at all.
   */
  copyTo(file: string): Promise<void>
  /** Resolves when the engine answers and takes writes; rejects, with the reason, when it does not. */
  probe(): Promise<void>
}
