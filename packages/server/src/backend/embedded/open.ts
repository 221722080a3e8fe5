import { DatabaseSync } from 'node:sqlite'
import type { Redacted } from '../../util/redacted.ts'
import type { SecretBox } from '../../util/secret-box.ts'
import type { Backend } from '../backend.ts'
import { Claims } from './deliveries/claims.ts'
import { copyDatabase } from './database/copy-database.ts'
import { DataDir } from './database/data-dir.ts'
import { secretBoxOf } from './database/encryption-key.ts'
import { addFolding } from './events/event-conditions.ts'
import { migrate, refuseNewer } from './migrations/migrate.ts'
import { MIGRATIONS } from './migrations/migrations.ts'
import { sealCatalog, usedKeys } from './catalog/seal-catalog.ts'
import { SqliteAudit } from './audit/sqlite-audit.ts'
import { SqliteCatalog } from './catalog/sqlite-catalog.ts'
import { SqliteDeletions } from './deletions/sqlite-deletions.ts'
import { SqliteDeliveries } from './deliveries/sqlite-deliveries.ts'
import { SqliteDeliveryReports } from './deliveries/sqlite-delivery-reports.ts'
import { SqliteEvents } from './events/sqlite-events.ts'
import { SqliteIdempotentResponses } from './idempotent-responses/sqlite-idempotent-responses.ts'
import { SqliteKeyUses } from './catalog/sqlite-key-uses.ts'
import { type Duplicates, SqliteLog } from './log/sqlite-log.ts'
import { SqliteNoticeQueue } from './notices/sqlite-notice-queue.ts'
import { SqliteNotices } from './notices/sqlite-notices.ts'
import { SqliteQuarantine } from './quarantine/sqlite-quarantine.ts'
import { SqliteReplays } from './replays/sqlite-replays.ts'
import { SqliteStatistics } from './statistics/sqlite-statistics.ts'
import { SqliteSuppressions } from './deletions/sqlite-suppressions.ts'
import { SqliteTokens } from './tokens/sqlite-tokens.ts'
import { SqliteUpkeep } from './upkeep/sqlite-upkeep.ts'
import { Writer } from './writer.ts'

export interface EmbeddedOptions {
  /** Made where it is missing. */
  readonly dataDir: string
  /** Most bytes of events that may wait for the disk. */
  readonly maxWaitingBytes: number
  /** How long a second event with the same source and messageId is a duplicate: a day, unless it is said. */
  readonly dedupeWindowMs?: number
  /** What secrets are encrypted with; without it, a key is made and kept in the folder. */
  readonly encryptionKey?: Redacted | undefined
}

const DAY_MS = 24 * 60 * 60 * 1000

/**
 * The backend in one SQLite file, for one process.
 * @throws {DataDirInUse} when another process has the folder
 * @throws {SchemaTooNew} when a newer version has written the file
 * @throws {EncryptionKeyMismatch} when its secrets are encrypted with a key that is not given
 */
export async function openEmbeddedBackend(options: EmbeddedOptions): Promise<Backend> {
  await using stack = new AsyncDisposableStack()
  const dataDir = stack.use(new DataDir(options.dataDir))
  const box = prepareDatabase(dataDir.databaseFile, options)
  const reader = stack.use(new DatabaseSync(dataDir.databaseFile, { readOnly: true }))
  addFolding(reader)
  const { dedupeWindowMs = DAY_MS } = options
  const writer = stack.use(new Writer({ file: dataDir.databaseFile, dedupeWindowMs }))
  const claims = new Claims()
  const duplicates: Duplicates = new Set()
  const opened = {
    log: new SqliteLog(writer, reader, { ...options, duplicates }),
    catalog: new SqliteCatalog(writer, reader, box),
    events: new SqliteEvents(writer, reader, duplicates),
    deliveries: new SqliteDeliveries(claims, writer, reader),
    quarantine: new SqliteQuarantine(writer, claims),
    replays: new SqliteReplays(writer, reader),
    upkeep: new SqliteUpkeep(writer, reader, dataDir.databaseFile),
    deletions: new SqliteDeletions(writer, reader, dataDir.databaseFile),
    suppressions: new SqliteSuppressions(writer, reader),
    notices: new SqliteNotices(writer, reader),
    noticeQueue: new SqliteNoticeQueue(writer, reader),
    tokens: new SqliteTokens(writer, reader),
    keyUses: new SqliteKeyUses(writer, reader),
    audit: new SqliteAudit(writer, reader),
    idempotentResponses: new SqliteIdempotentResponses(writer, reader),
    reports: new SqliteDeliveryReports(reader),
    statistics: new SqliteStatistics(writer, reader),
    copyTo: (file: string) => copyDatabase(dataDir.databaseFile, file),
    probe: () => writer.run('ackEvents', 0),
  }
  const open = stack.move()
  return { ...opened, [Symbol.asyncDispose]: () => open.disposeAsync() }
}

function prepareDatabase(
  file: string,
  { dataDir, encryptionKey }: Pick<EmbeddedOptions, 'dataDir' | 'encryptionKey'>,
): SecretBox {
  using db = DataDir.openForWriting(file)
  refuseNewer(db, file, MIGRATIONS)
  const box = secretBoxOf(dataDir, encryptionKey, usedKeys(db))
  // Before the copy that a migration makes, and for a new database once it has tables.
  sealCatalog(db, box)
  migrate(db, file, MIGRATIONS)
  sealCatalog(db, box)
  return box
}
