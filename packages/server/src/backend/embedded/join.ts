import type { Destination } from '@hookline/protocol'
import { systemClock } from '../../util/time/clock.ts'
import { followPurges, PurgedUsers } from '../store/purged-users.ts'
import { StoredQuarantine } from '../store/quarantine.ts'
import type { JoinedBackend } from '../threads.ts'
import { positionFinder } from './deletions/sqlite-purge.ts'
import { SqliteDeliveries } from './deliveries/sqlite-deliveries.ts'
import { sqliteNoticeQueue } from './deliveries/sqlite-notice-queue.ts'
import { StoredLanes } from './deliveries/stored-lanes.ts'
import { type ConnectionData, connectionOf } from './joined-connection.ts'

export interface JoinOptions {
  /** Asks the main thread to put a destination, and rejects with the same errors. */
  readonly putDestination: (destination: Destination) => Promise<void>
  /** Tells the main thread of damage. */
  readonly onDamage: (error: Error) => void
}

/** Joins the backend that the main thread has opened: a writer and a read-only connection of this thread. */
export async function joinEmbeddedBackend(
  data: ConnectionData,
  { putDestination, onDamage }: JoinOptions,
): Promise<JoinedBackend> {
  const connection = connectionOf(data, onDamage)
  const { box, writer, reader, store, catalog } = connection
  const lanes = new StoredLanes(reader, box)
  const deliveries = new SqliteDeliveries(lanes, writer, reader, store)
  const purged = new PurgedUsers({ positionOf: positionFinder(reader) })
  await followPurges(store, purged, systemClock)
  return {
    catalog: Object.assign(catalog, { putDestination }),
    deliveries,
    quarantine: new StoredQuarantine(store, deliveries),
    noticeQueue: sqliteNoticeQueue(store, lanes, writer, reader),
    deletions: { isPurged: (carried) => purged.has(carried) },
    async apply(change) {
      if (change.kind === 'catalog') catalog.apply(change.change)
      else await store.changed(change.kind)
    },
    [Symbol.asyncDispose]: () => connection[Symbol.asyncDispose](),
  }
}
