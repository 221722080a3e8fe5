import { sql } from 'kysely'
import { ByteBudget } from '../../util/limits/byte-budget.ts'
import type { Redacted } from '../../util/secrets/redacted.ts'
import { SecretBox } from '../../util/secrets/secret-box.ts'
import { systemClock } from '../../util/time/clock.ts'
import { sleep } from '../../util/time/sleep.ts'
import { type Backend, BackendUnavailableError, CopyNotSupportedError } from '../backend.ts'
import { StoredCatalog } from '../store/catalog.ts'
import { storedDeletions } from '../store/deletions.ts'
import { storedDeliveryReports } from '../store/delivery-reports.ts'
import { noticeQueueOf, storedNotices } from '../store/notices.ts'
import { storedEvaluations } from '../store/profiles/evaluations.ts'
import { storedQuarantine } from '../store/quarantine.ts'
import { StoredParts } from '../store/stored-parts.ts'
import { storedPorts } from '../store/stored-ports.ts'
import type { BackendThreads } from '../threads.ts'
import { ReplicatedChanges } from './changes/replicated-changes.ts'
import { checkNatsSync, checkServer, probeOf, type ServerOptions } from './check-servers.ts'
import { unusablePostgresError } from './unusable-server.ts'
import { postgresPurge } from './deletions/postgres-purge.ts'
import { ClaimingNode } from './deliveries/claiming-node.ts'
import { PostgresDeliveries, PostgresDeliveryQueue } from './deliveries/postgres-delivery-queue.ts'
import { PostgresLanes } from './deliveries/postgres-lanes.ts'
import { NOTICE_TABLE, quarantineAndCount } from './deliveries/queue-tables.ts'
import { checkEncryptionKey, ownKeysIn } from './encryption/encryption-key.ts'
import { eraseRemoved } from './erasure/erase.ts'
import { PostgresEvents } from './events/postgres-events.ts'
import { ArchiveEnd, PostgresFollowedLog } from './events/postgres-followed-log.ts'
import { openLogOf } from './installation.ts'
import { NatsLink } from './jetstream/nats-link.ts'
import { announcementsIn } from './jetstream/outbox.ts'
import { refuseUnfinishedMove } from './move/move-progress.ts'
import { PostgresLeases } from './postgres-leases.ts'
import { PostgresNodes } from './postgres-nodes.ts'
import { confirmSchema, latestOf, migrate, type Migration, MIGRATIONS } from './postgres/migrate.ts'
import { PostgresStore } from './postgres/postgres-store.ts'
import { Postgres } from './postgres/postgres.ts'
import { NatsSignals } from './signals/nats-signals.ts'
import { openUpkeep } from './upkeep/postgres-upkeep.ts'

export interface ClusterOptions extends ServerOptions {
  /** Prefix of the names of streams and subjects. */
  readonly natsPrefix: string
  /** The number of copies of the log: 1, 3 or 5. Defaults to 1. */
  readonly natsReplicas?: number
  /** The maximum total size of events that wait to be published. Defaults to 64 MiB. */
  readonly maxWaitingBytes?: number
  readonly encryptionKey: Redacted
  /** How long a repeated messageId of a source counts as a duplicate. Defaults to a day. */
  readonly dedupeWindowMs?: number
  /** How often to look for changes by other nodes, in case a notification was lost. Defaults to a second. */
  readonly pollMs?: number
  /** The interval of heartbeats: a node counts as dead after five missed ones. Defaults to 2 s. */
  readonly nodeHeartbeatMs?: number
  readonly migrations?: readonly Migration[]
}

/**
 * Opens the backend of one node on PostgreSQL and NATS.
 * @throws {UnusableServerError} if the settings of a server are wrong
 * @throws {EncryptionKeyMismatchError} if secrets are encrypted with a key that this node does not have
 * @throws {SchemaTooNewError | IncompatibleNodesError} if this version is incompatible with the schema or other nodes
 * @throws {StreamMismatchError} if the stream of the log belongs to another database
 * @throws {MoveUnfinishedError} while the data of an embedded service is being moved into the cluster
 */
export async function openClusterBackend(options: ClusterOptions): Promise<Backend> {
  await using stack = new AsyncDisposableStack()
  const keys = SecretBox.keysIn(options.encryptionKey.reveal())
  if (keys === undefined) throw new TypeError('HOOKLINE_ENCRYPTION_KEY does not contain a key.')
  const postgres = stack.use(new Postgres({ url: options.databaseUrl }))
  const { migrations = MIGRATIONS } = options
  try {
    await checkServer(postgres)
    await migrate(postgres, migrations)
  } catch (error) {
    throw unusablePostgresError(error) ?? error
  }
  await refuseUnfinishedMove(postgres)
  const box = new SecretBox(keys)
  await checkEncryptionKey(postgres, box)
  const ports = await portsOf({ stack, postgres, box, options })
  // Checked again, now that other nodes see this one.
  await confirmSchema(postgres, migrations)
  await refuseUnfinishedMove(postgres)
  const open = stack.move()
  return { ...ports, [Symbol.asyncDispose]: () => open.disposeAsync() }
}

const POLL_MS = 1_000

interface OpenedCluster {
  /** Its resources are closed before the database. */
  readonly stack: AsyncDisposableStack
  readonly postgres: Postgres
  readonly box: SecretBox
  readonly options: ClusterOptions
}

async function portsOf(opened: OpenedCluster) {
  const { stack, postgres, box, options } = opened
  const { databaseUrl: url, natsPrefix: prefix, pollMs = POLL_MS } = options
  const clock = systemClock
  const { nats, log, events, followedLog, refused, lastPosition } = await openLog(opened, pollMs)
  const nodes = stack.use(
    new PostgresNodes({ postgres, clock, heartbeatMs: options.nodeHeartbeatMs }),
  )
  const signals = stack.use(new NatsSignals({ link: nats, prefix, box, clock, nodes }))
  const feed = stack.use(new ReplicatedChanges({ postgres, url, clock, pollMs, signals }))
  const store = new PostgresStore(postgres, feed, box)
  const catalog = await StoredCatalog.open({ store, box })
  const lanes = new PostgresLanes(postgres, box)
  const { migrations = MIGRATIONS } = options
  const schema = latestOf(migrations)
  const node = stack.use(await ClaimingNode.open({ postgres, clock, schema }))
  const queue = { postgres, node, lanes }
  const deliveries = new PostgresDeliveries(queue, store)
  const purge = postgresPurge({
    postgres,
    feed,
    lastPosition,
    erase: (signal) => eraseRemoved({ postgres, clock, signal }),
    consumedPositionOf: (content) => log.positions.of(content),
    refused,
  })
  return {
    deliveries,
    ...(await storedPorts(store, box, clock)),
    reports: storedDeliveryReports(store, lanes),
    quarantine: storedQuarantine(store, deliveries, quarantineAndCount),
    deletions: await storedDeletions(store, purge, clock),
    notices: storedNotices(store, new StoredParts('notices', lanes)),
    noticeQueue: noticeQueueOf(store, new PostgresDeliveryQueue(NOTICE_TABLE, queue)),
    log,
    events,
    followedLog,
    threads: NO_THREADS,
    catalog,
    ownKeys: ownKeysIn(postgres, box),
    leases: new PostgresLeases({ postgres, clock }),
    nodes,
    signals,
    evaluations: storedEvaluations(store, announcementsIn(postgres)),
    upkeep: await openUpkeep(postgres, log),
    copyTo: refuseCopy,
    probe: probeOf({ postgres, checkLog: () => log.lastPosition(), staleness: () => feed.failure }),
    // PostgreSQL and NATS check their own files.
    corrupted: new Promise<Error>(() => undefined),
  } satisfies Omit<Backend, typeof Symbol.asyncDispose>
}

const MAX_WAITING_BYTES = 64 * 1024 * 1024
const DEDUPE_WINDOW_MS = 24 * 60 * 60 * 1000

async function openLog({ stack, postgres, options }: OpenedCluster, pollMs: number) {
  const { natsPrefix: prefix, natsReplicas: replicas } = options
  const nats = stack.use(await NatsLink.open({ url: options.natsUrl, ...options.natsSecurity }))
  if (options.natsMonitorUrl) await checkNatsSync(options.natsMonitorUrl)
  const waiting = new ByteBudget(options.maxWaitingBytes ?? MAX_WAITING_BYTES)
  // Without PostgreSQL, a node leaves the events to other nodes.
  const canWork = (signal: AbortSignal): Promise<void> => untilAvailable(postgres, signal)
  const log = stack.use(await openLogOf(postgres, nats, { prefix, replicas, waiting, canWork }))
  const relay = stack.use(log.relayOutbox(postgres))
  const end = new ArchiveEnd({ postgres, link: nats, prefix, clock: systemClock, pollMs })
  /** Events that the archive refused because a purge covers them. */
  const refused = new WeakSet<object>()
  const events = new PostgresEvents({
    postgres,
    dedupeWindowMs: options.dedupeWindowMs ?? DEDUPE_WINDOW_MS,
    positionOf: (event) => log.positions.of(event) ?? 0,
    onRefused: (purged) => purged.forEach((event) => refused.add(event)),
    onArchived: (seq) => end.archived(seq),
  })
  /** Returns a position at or after every event appended before the call, by any node or database transaction. */
  const lastPosition = async (): Promise<number> => {
    await relay.flush()
    return log.lastPosition()
  }
  const followedLog = new PostgresFollowedLog(postgres, end)
  return { nats, log, events, followedLog, lastPosition, refused }
}

const refuse = (): never => {
  throw new Error(
    'ingestThreads and deliveryThreads are not supported in a cluster: start more nodes.',
  )
}

/** `service.ts` starts no threads on a node of a cluster. */
const NO_THREADS: BackendThreads = {
  connect: async () => refuse(),
  connectToLog: refuse,
  onAppended: () => () => undefined,
  onChange: () => () => undefined,
  reportCorruption: refuse,
}

const AVAILABLE_MS = 500

async function untilAvailable(postgres: Postgres, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      await postgres.run(sql`SELECT 1`)
      return
    } catch (error) {
      if (!(error instanceof BackendUnavailableError)) throw error
      await sleep(systemClock, AVAILABLE_MS, signal)
    }
  }
}

async function refuseCopy(): Promise<never> {
  throw new CopyNotSupportedError(
    'In a cluster, back up PostgreSQL with pg_dump or continuous archiving. See "Backup" in docs/guides/cluster.md, ' +
      'which also covers the NATS stream.',
  )
}
