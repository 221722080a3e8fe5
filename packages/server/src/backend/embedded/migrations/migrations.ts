import { initial } from './0001-initial.ts'
import { waitingReplaysQuarantine } from './0002-waiting-replays-quarantine.ts'
import { deletions } from './0003-deletions.ts'
import { tokensAuditStatistics } from './0004-tokens-audit-statistics.ts'
import { replayEndsKeyUses } from './0005-replay-ends-key-uses.ts'
import { segments } from './0006-segments.ts'
import { purgesByPosition } from './0007-purges-by-position.ts'
import { recordsNeedAnEvent } from './0008-records-need-an-event.ts'
import { lanes } from './0009-lanes.ts'
import { sealedAudit } from './0010-sealed-audit.ts'
import { missingRows } from './0011-missing-rows.ts'
import { timesOfATrace } from './0012-times-of-a-trace.ts'
import { originCursors } from './0013-origin-cursors.ts'
import { profiles } from './0014-profiles.ts'
import { commits } from './0015-commits.ts'
import { anonymousDeletions } from './0016-anonymous-deletions.ts'
import { failuresWithoutAttempt } from './0017-failures-without-attempt.ts'
import { bodiesOfWebhooks } from './0018-bodies-of-webhooks.ts'

/** One step of the schema. There is no way back, and a released step never changes. */
export interface Migration {
  /** `PRAGMA user_version` after the step. Numbered from 1 without gaps. */
  readonly version: number
  readonly sql: string
}

export const MIGRATIONS: readonly Migration[] = [
  { version: 1, sql: initial },
  { version: 2, sql: waitingReplaysQuarantine },
  { version: 3, sql: deletions },
  { version: 4, sql: tokensAuditStatistics },
  { version: 5, sql: replayEndsKeyUses },
  { version: 6, sql: segments },
  { version: 7, sql: purgesByPosition },
  { version: 8, sql: recordsNeedAnEvent },
  { version: 9, sql: lanes },
  { version: 10, sql: sealedAudit },
  { version: 11, sql: missingRows },
  { version: 12, sql: timesOfATrace },
  { version: 13, sql: originCursors },
  { version: 14, sql: profiles },
  { version: 15, sql: commits },
  { version: 16, sql: anonymousDeletions },
  { version: 17, sql: failuresWithoutAttempt },
  { version: 18, sql: bodiesOfWebhooks },
]
