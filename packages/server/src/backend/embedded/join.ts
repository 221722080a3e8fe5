import type { Destination } from '@hookline/protocol'
import { StoredQuarantine } from '../store/quarantine.ts'
import type { BegunPurge, JoinedBackend, SharedChange } from '../threads.ts'
import { seqFinder } from './deletions/find-seq.ts'
import { PurgedUsers } from './deletions/purged-users.ts'
import { SqliteDeliveries } from './deliveries/sqlite-deliveries.ts'
import { sqliteNoticeQueue } from './deliveries/sqlite-notice-queue.ts'
import { StoredLanes } from './deliveries/stored-lanes.ts'
import { type ConnectionData, connectionOf } from './joined-connection.ts'
import { Readers } from './readers.ts'
import { SqliteStore } from './sqlite-store.ts'

/** What `BackendThreads.connect` gives to a thread. */
export interface JoinData extends ConnectionData {
  readonly purges: readonly BegunPurge[]
}

export interface JoinOptions {
  /** Asks the main thread to put a destination, and rejects with the same errors. */
  readonly putDestination: (destination: Destination) => Promise<void>
  /** Tells the main thread of damage. */
  readonly onDamage: (error: Error) => void
}

/** Joins the backend that the main thread has opened: a writer and a read-only connection of this thread. */
export function joinEmbeddedBackend(
  { purges, ...data }: JoinData,
  { putDestination, onDamage }: JoinOptions,
): JoinedBackend {
  const { file } = data
  const { watch, box, writer, reader, catalog } = connectionOf(data, onDamage)
  // No thread of its own starts before something is listed, which lanes do not do.
  const readers = new Readers(file, () => writer.run('emptyLog', undefined), watch)
  const store = new SqliteStore(writer, reader, readers)
  const lanes = new StoredLanes(reader, box)
  const deliveries = new SqliteDeliveries(lanes, writer, reader, store)
  const purged = new PurgedUsers({ seqOf: seqFinder(reader) })
  for (const purge of purges) purged.add(purge, purge.through)
  const apply = (change: SharedChange): void => {
    if (change.kind === 'catalog') catalog.apply(change.change)
    else if (change.kind === 'purged') purged.add(change.purge, change.purge.through)
  }
  return {
    catalog: Object.assign(catalog, { putDestination }),
    deliveries,
    quarantine: new StoredQuarantine(store, deliveries),
    noticeQueue: sqliteNoticeQueue(store, lanes, writer, reader),
    deletions: { isPurged: (carried) => purged.has(carried) },
    apply,
    async [Symbol.asyncDispose]() {
      await writer[Symbol.asyncDispose]()
      await readers[Symbol.asyncDispose]()
      reader.close()
    },
  }
}
