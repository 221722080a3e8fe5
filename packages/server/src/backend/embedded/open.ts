import type { DatabaseSync } from 'node:sqlite'
import { ByteBudget, allocateBudget } from '../../util/limits/byte-budget.ts'
import { SharedRefresh } from '../../util/workers/shared-refresh.ts'
import { systemClock } from '../../util/time/clock.ts'
import type { Redacted } from '../../util/secrets/redacted.ts'
import type { SecretBox } from '../../util/secrets/secret-box.ts'
import { type Backend, BackendUnavailableError } from '../backend.ts'
import { StoredCatalog } from '../store/catalog.ts'
import { storedDeletions } from '../store/deletions.ts'
import { storedDeliveryReports } from '../store/delivery-reports.ts'
import { storedNotices } from '../store/notices.ts'
import { storedQuarantine } from '../store/quarantine.ts'
import { storedPorts } from '../store/stored-ports.ts'
import { StoredParts } from '../store/stored-parts.ts'
import {
  type CorruptionOptions,
  quarantineCorrupted,
  recordCorruption,
  refuseCorruptedRecords,
  reportCorruption,
} from './corruption/corruptions.ts'
import {
  checkDatabase,
  CorruptedDatabaseError,
  CorruptionWatch,
  setFlag,
} from './corruption/watch.ts'
import { findMissingCommits, removeCommitMark } from './corruption/missing-commits.ts'
import { copyDatabase } from './database/copy-database.ts'
import { DataDir, probeDisk } from './database/data-dir.ts'
import { secretBoxOf, fileKeys } from './database/key-files.ts'
import { isCorruption, isSchemaCorruption, failureOf } from './database/sqlite-errors.ts'
import { SharedChanges, SqliteStore } from './sqlite-store.ts'
import { type OnUnreadable, reseal, usedKeys } from './database/reseal.ts'
import { sqlitePurge } from './deletions/sqlite-purge.ts'
import { LaneNumbers } from './deliveries/stored-lanes.ts'
import { sqliteDeliveries, sqliteNoticeQueue } from './deliveries/sqlite-deliveries.ts'
import { SqliteEvents, type Duplicates, SqliteLog } from './log/sqlite-log.ts'
import { sqliteFollowedLog } from './log/sqlite-followed-log.ts'
import { migrate, refuseNewer, MIGRATIONS } from './migrations/migrate.ts'
import { SqliteUpkeep } from './upkeep/sqlite-upkeep.ts'
import { Readers } from './readers.ts'
import { backendThreads } from './join.ts'
import { NO_SIGNALS, SINGLE_NODE_LEASES, singleNode } from './single-node.ts'
import { WriterHost } from './writer-host.ts'
import { storedEvaluations } from '../store/profiles/evaluations.ts'
import type { EvaluatedProfile, Evaluations } from '../evaluations.ts'
import { blockOf } from './log/event-block.ts'
import { eventsOf } from './log/write-log.ts'
import type { Writer } from './writer.ts'

export interface EmbeddedOptions extends CorruptionOptions {
  /** Created if missing. */
  readonly dataDir: string
  /** The maximum size, in bytes, of events waiting for the disk. */
  readonly maxWaitingBytes: number
  /** The number of other threads that append (`BackendThreads.connectToLog`). Defaults to 0. */
  readonly appendingThreads?: number
  /** How long a repeated messageId of a source counts as a duplicate. Defaults to a day. */
  readonly dedupeWindowMs?: number
  /** Encrypts the secrets. Defaults to a generated key in the data folder. */
  readonly encryptionKey?: Redacted | undefined
  readonly onUnreadable?: OnUnreadable
  /** Called if the lock file was not a database and was emptied. */
  readonly onEmptiedLock?: () => void
}

const DAY_MS = 24 * 60 * 60 * 1000

/**
 * Opens the backend in one SQLite file. @throws {DataDirInUseError | CorruptedDatabaseError | SchemaTooNewError | EncryptionKeyMismatchError}
 * @throws {ConfigurationCorruptedError | MissingCommitsError} unless `acceptLoss` matches
 */
export async function openEmbeddedBackend(options: EmbeddedOptions): Promise<Backend> {
  await using stack = new AsyncDisposableStack()
  const { databaseFile, emptiedLock } = stack.use(new DataDir(options.dataDir))
  if (emptiedLock) options.onEmptiedLock?.()
  const backend = stack.use(
    await openDatabase(databaseFile, options).catch((error: unknown) => {
      throw toCorruptionError(databaseFile, error)
    }),
  )
  const open = stack.move()
  return { ...backend, [Symbol.asyncDispose]: () => open.disposeAsync() }
}

/** If SQLite finds corruption while opening, the next start checks the whole file. */
function toCorruptionError(databaseFile: string, error: unknown): unknown {
  if (!isCorruption(error) && !isSchemaCorruption(error)) return error
  setFlag(databaseFile)
  return new CorruptedDatabaseError(databaseFile, (error as Error).message)
}

async function openDatabase(databaseFile: string, options: EmbeddedOptions): Promise<Backend> {
  await using stack = new AsyncDisposableStack()
  const watch = new CorruptionWatch(databaseFile)
  const { box, wasChecked } = prepareDatabase(databaseFile, options)
  const reader = stack.use(watch.openForReading())
  const { dedupeWindowMs = DAY_MS } = options
  const host = stack.use(new WriterHost({ file: databaseFile, dedupeWindowMs }, box, watch))
  const { writer } = host
  const readers = stack.use(
    new Readers(databaseFile, () => writer.run('emptyLog', undefined), watch),
  )
  const ports = await portsOf({ databaseFile, box, reader, readers, host, watch }, options)
  await host.opened
  if (wasChecked) await quarantineCorrupted(ports, options)
  const open = stack.move()
  return { ...ports, corrupted: watch.found, [Symbol.asyncDispose]: () => open.disposeAsync() }
}

/**
 * Refuses a database with missing data; otherwise, migrates it and seals its secrets. `wasChecked`:
 * the whole file was checked.
 */
export function prepareDatabase(
  file: string,
  options: Omit<EmbeddedOptions, 'maxWaitingBytes'>,
  boxOf = (used: ReadonlySet<string>): SecretBox =>
    secretBoxOf(options.dataDir, options.encryptionKey, used),
): { readonly box: SecretBox; readonly wasChecked: boolean } {
  const { dataDir, onUnreadable, acceptLoss } = options
  const wasChecked = checkDatabase(file, acceptLoss !== undefined)
  const missing = findMissingCommits(dataDir, file, acceptLoss)
  using db = DataDir.openForWriting(file)
  refuseNewer(db, file, MIGRATIONS)
  const box = boxOf(usedKeys(db))
  migrate(db, file, MIGRATIONS)
  db.exec('DELETE FROM reserved_keys')
  refuseCorruptedRecords(db, box, options)
  reseal(db, box, onUnreadable)
  if (missing !== undefined) {
    removeCommitMark(dataDir)
    recordCorruption(db, [missing])
  }
  reportCorruption(db, options)
  return { box, wasChecked }
}

interface OpenedDatabase {
  readonly databaseFile: string
  readonly box: SecretBox
  readonly reader: DatabaseSync
  readonly readers: Readers
  readonly host: WriterHost
  readonly watch: CorruptionWatch
}

async function portsOf(
  { databaseFile, box, reader, readers, host, watch }: OpenedDatabase,
  { dataDir, maxWaitingBytes, appendingThreads = 0 }: EmbeddedOptions,
) {
  const { writer } = host
  const lanes = new LaneNumbers(writer, reader, box)
  const changes = new SharedChanges((destinations) => lanes.saveAll(destinations))
  const duplicates: Duplicates = new Set()
  const disk = new SharedRefresh(() => probeDisk(databaseFile))
  const memory = allocateBudget(1 + appendingThreads)
  const waiting = new ByteBudget(maxWaitingBytes, { memory, thread: 0 })
  const log = new SqliteLog(host, reader, { waiting, duplicates })
  const { recent } = log
  const store = new SqliteStore(writer, reader, readers, changes)
  const deliveries = sqliteDeliveries(lanes, writer, reader, store)
  const catalog = await StoredCatalog.open({ store, box, threads: changes })
  const purge = sqlitePurge({ databaseFile, writer, reader, readers, duplicates, recent })
  const budget = { maxWaitingBytes, waiting, memory }
  const parts = { file: databaseFile, box, host, watch, lanes, catalog, changes, log, ...budget }
  return {
    log,
    events: new SqliteEvents(writer, store, duplicates),
    deliveries,
    ...(await storedPorts(store, box, systemClock)),
    reports: storedDeliveryReports(store, lanes),
    quarantine: storedQuarantine(store, deliveries),
    catalog,
    deletions: await storedDeletions(store, purge, systemClock),
    notices: storedNotices(store, new StoredParts('notices', lanes)),
    noticeQueue: sqliteNoticeQueue(store, lanes, writer, reader),
    followedLog: sqliteFollowedLog(readers, log),
    evaluations: storedEvaluations(store, announcementsIn(writer, log)),
    threads: backendThreads(parts),
    leases: SINGLE_NODE_LEASES,
    nodes: singleNode(systemClock),
    signals: NO_SIGNALS,
    ownKeys: fileKeys(dataDir),
    upkeep: new SqliteUpkeep(host, reader, databaseFile),
    copyTo: (file: string) => copyDatabase(databaseFile, file).catch(throwCopyError),
    probe: async () => {
      // A write without effect, except for the commit number.
      await writer.run('ackEvents', { through: 0, events: 0 })
      await disk.run()
    },
  } satisfies Omit<Backend, 'corrupted' | typeof Symbol.asyncDispose>
}

/**
 * Stores evaluations together with the events that announce them, and passes the events to `log`.
 */
function announcementsIn(writer: Writer, log: SqliteLog): Pick<Evaluations, 'commit' | 'announce'> {
  return {
    async commit(evaluated) {
      let stored: readonly EvaluatedProfile[] = []
      await writer.run('commitEvaluations', evaluated, {
        onCommitted: ({ places, appended }) => {
          stored = places.map((place) => evaluated[place]!)
          log.appended({ events: eventsOf(stored), ...appended })
        },
      })
      return stored
    },
    async announce(events, purges) {
      const input = { block: blockOf(events), purges }
      const appended = await writer.run('appendAnnouncements', input, {
        onCommitted: (result) => {
          if (result !== undefined) log.appended({ events, ...result })
        },
      })
      return appended !== undefined
    },
  }
}

function throwCopyError(error: unknown): never {
  const { isTransient, message } = failureOf(error)
  if (!isTransient) throw error
  throw new BackendUnavailableError(`The database cannot be copied: ${message}`, { cause: error })
}
