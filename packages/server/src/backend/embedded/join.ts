import { systemClock } from '../../util/time/clock.ts'
import { followPurges, PurgedUsers } from '../store/purged-users.ts'
import { storedQuarantine } from '../store/quarantine.ts'
import type { JoinedBackend, JoinedLog, BackendThreads } from '../threads.ts'
import { positionFinder } from './deletions/sqlite-purge.ts'
import { sqliteDeliveries, sqliteNoticeQueue } from './deliveries/sqlite-deliveries.ts'
import { StoredLanes, type LaneNumbers } from './deliveries/stored-lanes.ts'
import { type BudgetPart, ByteBudget } from '../../util/limits/byte-budget.ts'
import { openSuppressions } from '../store/suppressions.ts'
import { Appender } from './log/appender.ts'
import type { MessagePort } from 'node:worker_threads'
import { SecretBox } from '../../util/secrets/secret-box.ts'
import { CatalogReplica, type Catalog, type FollowedCatalog } from '../catalog.ts'
import { catalogIn, type SealedRecord } from '../store/catalog.ts'
import { CorruptionWatch } from './corruption/watch.ts'
import { Readers } from './readers.ts'
import { SqliteStore, type SharedChanges } from './sqlite-store.ts'
import { Writer } from './writer.ts'
import type { SqliteLog } from './log/sqlite-log.ts'
import type { WriterHost } from './writer-host.ts'

/** The data that a thread needs to join. Contains secrets: it must not leave the process. */
export interface ConnectionData {
  readonly file: string
  readonly writer: MessagePort
  readonly keys: readonly Uint8Array[]
}

export interface JoinLogData extends ConnectionData {
  readonly maxWaitingBytes: number
  /** The thread's part of the budget for bytes waiting for the disk. */
  readonly waiting: BudgetPart
}

interface SharedParts {
  readonly file: string
  readonly box: SecretBox
  readonly host: WriterHost
  readonly watch: CorruptionWatch
  readonly lanes: LaneNumbers
  readonly catalog: Pick<Catalog, 'current'>
  readonly changes: SharedChanges
  readonly log: SqliteLog
  readonly maxWaitingBytes: number
  readonly waiting: ByteBudget
  readonly memory: SharedArrayBuffer
}

export function backendThreads(parts: SharedParts): BackendThreads {
  const { file, box, host, watch, lanes, catalog, changes, log, maxWaitingBytes } = parts
  const connect = () => {
    const { port, gone } = host.connect()
    const data: ConnectionData = { file, writer: port, keys: box.keys }
    return { data, transfer: [port], gone }
  }
  return {
    async connect() {
      await lanes.saveAll(catalog.current.destinations.values())
      return connect()
    },
    connectToLog(number) {
      // The previous thread with this number has exited.
      parts.waiting.releaseAll(number)
      const waiting = { memory: parts.memory, thread: number }
      const connection = connect()
      const data: JoinLogData = { ...connection.data, maxWaitingBytes, waiting }
      return { ...connection, data }
    },
    onAppended: (listener) => log.onAppended(listener),
    onChange: (listener) => changes.onChange(listener),
    reportCorruption: (error) => watch.inspect(error),
  }
}

interface JoinOptions extends Pick<FollowedCatalog, 'putDestination'> {
  readonly onCorruption: (error: Error) => void
}

/** Joins the opened backend from another thread, with a writer and a read-only connection. */
export async function joinEmbeddedBackend(
  data: ConnectionData,
  { putDestination, onCorruption }: JoinOptions,
): Promise<JoinedBackend> {
  const connection = connectionOf(data, onCorruption)
  const { box, writer, reader, store, catalog } = connection
  const lanes = new StoredLanes(reader, box)
  const deliveries = sqliteDeliveries(lanes, writer, reader, store)
  const purged = new PurgedUsers({ positionOf: positionFinder(reader) })
  await followPurges(store, purged, systemClock)
  return {
    catalog: Object.assign(catalog, { putDestination }),
    deliveries,
    quarantine: storedQuarantine(store, deliveries),
    noticeQueue: sqliteNoticeQueue(store, lanes, writer, reader),
    deletions: { isPurged: (content) => purged.has(content) },
    async apply(change) {
      if (change.kind === 'catalog') catalog.apply(change.change)
      else await store.changed(change.kind)
    },
    [Symbol.asyncDispose]: () => connection[Symbol.asyncDispose](),
  }
}

/** Joins the log of the opened backend from another thread. */
export async function joinEmbeddedLog(
  { maxWaitingBytes, waiting, ...data }: JoinLogData,
  { onCorruption }: Pick<JoinOptions, 'onCorruption'>,
): Promise<JoinedLog> {
  const connection = connectionOf(data, onCorruption)
  const { writer, store, catalog } = connection
  return {
    log: new Appender({ writer, waiting: new ByteBudget(maxWaitingBytes, waiting) }),
    catalog,
    suppressions: await openSuppressions(store, systemClock),
    async apply(change) {
      if (change.kind === 'catalog') catalog.apply(change.change)
      else if (change.kind === 'suppressions') {
        await store.changed(change.kind)
        // Writes are ordered: once this one has ended, so have all earlier appends.
        await writer.run('ackEvents', { through: 0, events: 0 }).catch(() => undefined)
      }
    },
    [Symbol.asyncDispose]: () => connection[Symbol.asyncDispose](),
  }
}

function connectionOf(
  { file, writer: port, keys }: ConnectionData,
  onCorruption: (error: Error) => void,
) {
  const watch = new CorruptionWatch(file)
  void watch.found.then(onCorruption)
  const box = new SecretBox(keys.map((key) => Buffer.from(key)))
  const reader = watch.openForReading()
  const writer = new Writer({ port, box, watch })
  // Joined threads run no long reads, so this never starts a reader thread.
  const readers = new Readers(file, () => writer.run('emptyLog', undefined), watch)
  const store = new SqliteStore(writer, reader, readers)
  const records = reader.prepare('SELECT kind, document, settings FROM catalog').all()
  const catalog = new CatalogReplica(catalogIn(records as unknown as SealedRecord[], box))
  return {
    box,
    writer,
    reader,
    store,
    catalog,
    async [Symbol.asyncDispose]() {
      await writer[Symbol.asyncDispose]()
      await readers[Symbol.asyncDispose]()
      reader.close()
    },
  }
}
