import type { Destination } from '@hookline/protocol'
import type { MessagePort } from 'node:worker_threads'
import { SecretBox } from '../../util/secrets/secret-box.ts'
import type { BegunPurge, JoinedBackend, SharedChange } from '../threads.ts'
import { JoinedCatalog } from './catalog/joined-catalog.ts'
import { readCatalog } from './catalog/read-catalog.ts'
import { DamageWatch } from './damage/damage-watch.ts'
import { DataDir } from './database/data-dir.ts'
import { seqFinder } from './deletions/find-seq.ts'
import { PurgedUsers } from './deletions/purged-users.ts'
import { SqliteDeliveries } from './deliveries/sqlite-deliveries.ts'
import { StoredLanes } from './deliveries/stored-lanes.ts'
import { StoredParts } from './deliveries/stored-parts.ts'
import { SqliteNoticeQueue } from './notices/sqlite-notice-queue.ts'
import { SqliteQuarantine } from './quarantine/sqlite-quarantine.ts'
import { Readers } from './readers.ts'
import { Writer } from './writer.ts'

/** What `BackendThreads.connect` gives to a thread. Some of it is secret: it does not leave the process. */
export interface JoinData {
  readonly file: string
  readonly writer: MessagePort
  /** The keys of the secret box. */
  readonly keys: readonly Uint8Array[]
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
  { file, writer: port, keys, purges }: JoinData,
  { putDestination, onDamage }: JoinOptions,
): JoinedBackend {
  const watch = new DamageWatch(file)
  void watch.found.then(onDamage)
  const box = new SecretBox(keys.map((key) => Buffer.from(key)))
  const writer = new Writer({ port, box, watch })
  const reader = watch.openForReading(() => DataDir.openForReading(file))
  // No thread of its own starts before something is listed, which lanes do not do.
  const readers = new Readers(file, () => writer.run('emptyLog', undefined), watch)
  const lanes = new StoredLanes(reader, box)
  const deliveries = new SqliteDeliveries(lanes, writer, reader, readers)
  const catalog = new JoinedCatalog(readCatalog(reader, box), putDestination)
  const purged = new PurgedUsers({ seqOf: seqFinder(reader) })
  for (const purge of purges) purged.add(purge, purge.through)
  const apply = (change: SharedChange): void => {
    if (change.kind === 'catalog') catalog.apply(change.change)
    else if (change.kind === 'purged') purged.add(change.purge, change.purge.through)
  }
  return {
    catalog,
    deliveries,
    quarantine: new SqliteQuarantine(writer, deliveries, new StoredParts('deliveries', lanes)),
    noticeQueue: new SqliteNoticeQueue(lanes, writer, reader, readers),
    deletions: { isPurged: (carried) => purged.has(carried) },
    apply,
    async [Symbol.asyncDispose]() {
      await writer[Symbol.asyncDispose]()
      await readers[Symbol.asyncDispose]()
      reader.close()
    },
  }
}
