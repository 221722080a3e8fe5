import type { Destination } from '@hookline/protocol'
import type { MessagePort } from 'node:worker_threads'
import { type BudgetPart, ByteBudget } from '../../util/limits/byte-budget.ts'
import { SecretBox } from '../../util/secrets/secret-box.ts'
import { withChange } from '../catalog.ts'
import type { BegunPurge, JoinedBackend, JoinedLog, SharedChange } from '../threads.ts'
import { JoinedCatalog } from './catalog/joined-catalog.ts'
import { readCatalog } from './catalog/read-catalog.ts'
import { DamageWatch } from './damage/damage-watch.ts'
import { DataDir } from './database/data-dir.ts'
import { seqFinder } from './deletions/find-seq.ts'
import { SuppressedUsers } from './deletions/suppressed-users.ts'
import { PurgedUsers } from './deletions/purged-users.ts'
import { SqliteDeliveries } from './deliveries/sqlite-deliveries.ts'
import { StoredLanes } from './deliveries/stored-lanes.ts'
import { StoredParts } from './deliveries/stored-parts.ts'
import { Appender } from './log/appender.ts'
import { SqliteNoticeQueue } from './notices/sqlite-notice-queue.ts'
import { SqliteQuarantine } from './quarantine/sqlite-quarantine.ts'
import { Readers } from './readers.ts'
import { Writer } from './writer.ts'

/** What a thread needs to join. Some of it is secret: it does not leave the process. */
interface ConnectionData {
  readonly file: string
  readonly writer: MessagePort
  /** The keys of the secret box. */
  readonly keys: readonly Uint8Array[]
}

/** What `BackendThreads.connect` gives to a thread. */
export interface JoinData extends ConnectionData {
  readonly purges: readonly BegunPurge[]
}

/** What `BackendThreads.connectToLog` gives to a thread. */
export interface JoinLogData extends ConnectionData {
  readonly maxWaitingBytes: number
  /** Of the budget of the bytes that wait for the disk. */
  readonly waiting: BudgetPart
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
  const { watch, box, writer, reader } = connectionOf(data, onDamage)
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

/** Joins the log of the backend that the main thread has opened: a writer of this thread. */
export function joinEmbeddedLog(
  { maxWaitingBytes, waiting, ...data }: JoinLogData,
  { onDamage }: Pick<JoinOptions, 'onDamage'>,
): JoinedLog {
  const { box, writer, reader } = connectionOf(data, onDamage)
  let current = readCatalog(reader, box)
  const suppressed = new SuppressedUsers(reader)
  reader.close()
  return {
    log: new Appender({ writer, waiting: new ByteBudget(maxWaitingBytes, waiting) }),
    catalog: {
      get current() {
        return current
      },
    },
    suppressions: {
      has: (sourceId, kind, id) => suppressed.has(sourceId, kind, id),
      countLeftOut: (calls) => writer.runLater('countLeftOut', calls),
    },
    async apply(change) {
      if (change.kind === 'catalog') current = withChange(current, change.change)
      else if (change.kind === 'unsuppressed') suppressed.remove(change.user)
      else if (change.kind === 'suppressed') {
        suppressed.add(change.suppressions)
        // Operations take effect in their order: when this one has ended, so have all appends before it.
        await writer.run('ackEvents', { through: 0, events: 0 }).catch(() => undefined)
      }
    },
    [Symbol.asyncDispose]: () => writer[Symbol.asyncDispose](),
  }
}

function connectionOf(
  { file, writer: port, keys }: ConnectionData,
  onDamage: JoinOptions['onDamage'],
) {
  const watch = new DamageWatch(file)
  void watch.found.then(onDamage)
  const box = new SecretBox(keys.map((key) => Buffer.from(key)))
  const reader = watch.openForReading(() => DataDir.openForReading(file))
  return { watch, box, writer: new Writer({ port, box, watch }), reader }
}
