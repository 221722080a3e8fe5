import { sql } from 'kysely'
import { ByteBudget } from '../../util/limits/byte-budget.ts'
import type { Redacted } from '../../util/secrets/redacted.ts'
import { SecretBox } from '../../util/secrets/secret-box.ts'
import { systemClock } from '../../util/time/clock.ts'
import { pause } from '../../util/time/pause.ts'
import { type Backend, BackendUnavailable, NoCopy } from '../backend.ts'
import { StoredCatalog } from '../store/catalog.ts'
import { StoredDeletions } from '../store/deletions.ts'
import { storedDeliveryReports } from '../store/delivery-reports.ts'
import { noticeQueueOf, storedNotices } from '../store/notices.ts'
import { storedEvaluations } from '../store/profiles/evaluations.ts'
import { storedQuarantine } from '../store/quarantine.ts'
import { StoredParts } from '../store/stored-parts.ts'
import { storedPorts } from '../store/stored-ports.ts'
import type { BackendThreads } from '../threads.ts'
import { ChangeFeed } from './changes/change-feed.ts'
import {
  checkServer,
  monitoredServers,
  probeOf,
  refuseUnsynced,
  type ServerOptions,
} from './check-servers.ts'
import { postgresRefusal } from './connection-refused.ts'
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
import { PostgresUpkeep } from './upkeep/postgres-upkeep.ts'

export interface ClusterOptions extends ServerOptions {
  /** Begins the name of every stream and subject. Defaults to `hookline`. */
  readonly natsPrefix?: string
  /** On how many servers each event of the log is kept. Defaults to 1. */
  readonly natsReplicas?: number
  /** Most bytes of events that may wait to be published. Defaults to 64 MiB. */
  readonly maxWaitingBytes?: number
  /** Encrypts the secrets: the same on all nodes. */
  readonly encryptionKey: Redacted
  /** How long after an event another one with the same source and messageId is a duplicate. Defaults to a day. */
  readonly dedupeWindowMs?: number
  /** How often changes of other nodes are looked for that no notification has told. Defaults to a second. */
  readonly pollMs?: number
  /** How long claims of deliveries last that a node does not renew. Defaults to 20 s. */
  readonly claimMs?: number
  /** How often a node stores that it is alive: it counts as dead after five times that. Defaults to 2 s. */
  readonly nodeBeatMs?: number
  /** The steps of the schema that this node knows. Defaults to those of this version. */
  readonly migrations?: readonly Migration[]
}

/**
 * Opens the backend of one node on PostgreSQL and NATS.
 * @throws {ConnectionRefused} where a server does not let it in, or does not keep what it confirms
 * @throws {EncryptionKeyMismatch} where its secrets are encrypted with a key that this node does not have
 * @throws {SchemaTooNew | OlderNodesRun} where this version cannot run beside what is there
 * @throws {StreamMismatch} where the stream of the log belongs to another database
 * @throws {MoveUnfinished} while the data of an embedded service is moved into it
 */
export async function openClusterBackend(options: ClusterOptions): Promise<Backend> {
  await using stack = new AsyncDisposableStack()
  const keys = SecretBox.keysIn(options.encryptionKey.reveal())
  if (keys === undefined) throw new TypeError('HOOKLINE_ENCRYPTION_KEY has no key.')
  const postgres = stack.use(new Postgres({ url: options.databaseUrl }))
  const { migrations = MIGRATIONS } = options
  try {
    await checkServer(postgres)
    await migrate(postgres, migrations)
  } catch (error) {
    throw postgresRefusal(error) ?? error
  }
  await refuseUnfinishedMove(postgres)
  const box = new SecretBox(keys)
  await checkEncryptionKey(postgres, box)
  const ports = await portsOf({ stack, postgres, box, options })
  // Once more, now that others see this node: they may have looked for nodes in between.
  await confirmSchema(postgres, migrations)
  await refuseUnfinishedMove(postgres)
  const open = stack.move()
  return { ...ports, [Symbol.asyncDispose]: () => open.disposeAsync() }
}

/** How often changes of other nodes are looked for. A notification is faster. */
const POLL_MS = 1_000

/** What the ports of this node share. What is to be closed goes on the stack: it is closed before the database. */
interface Opened {
  readonly stack: AsyncDisposableStack
  readonly postgres: Postgres
  readonly box: SecretBox
  readonly options: ClusterOptions
}

async function portsOf(opened: Opened) {
  const { stack, postgres, box, options } = opened
  const { databaseUrl: url, natsPrefix: prefix = 'hookline', pollMs = POLL_MS } = options
  const clock = systemClock
  const { nats, log, events, followedLog, refused, lastPosition } = await openLog(opened, pollMs)
  const nodes = stack.use(new PostgresNodes({ postgres, clock, beatMs: options.nodeBeatMs }))
  const signals = stack.use(new NatsSignals({ link: nats, prefix, box, clock, nodes }))
  const feed = stack.use(new ChangeFeed({ postgres, url, clock, pollMs, signals }))
  const store = new PostgresStore(postgres, feed, box)
  const catalog = await StoredCatalog.open({ store, box })
  const lanes = new PostgresLanes(postgres, box)
  const queue = { postgres, node: await openClaimingNode(opened), lanes }
  const deliveries = new PostgresDeliveries(queue, store)
  const purge = postgresPurge({
    postgres,
    feed,
    lastPosition,
    erase: (signal) => eraseRemoved({ postgres, clock, signal }),
    consumedPositionOf: (carried) => log.positions.of(carried),
    refused,
  })
  return {
    deliveries,
    ...(await storedPorts(store, box, clock)),
    reports: storedDeliveryReports(store, lanes),
    quarantine: storedQuarantine(store, deliveries, quarantineAndCount),
    deletions: await StoredDeletions.open(store, purge, clock),
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
    upkeep: await PostgresUpkeep.open(postgres, () => log.state()),
    copyTo: refuseCopy,
    probe: probeOf({ postgres, askLog: () => log.lastPosition(), staleness: () => feed.failure }),
    // What is stored is for PostgreSQL and NATS to check.
    damaged: new Promise<Error>(() => undefined),
  } satisfies Omit<Backend, typeof Symbol.asyncDispose>
}

const MAX_WAITING_BYTES = 64 * 1024 * 1024
const DEDUPE_WINDOW_MS = 24 * 60 * 60 * 1000

/** The log, and the archive that its consumers fill. */
async function openLog({ stack, postgres, options }: Opened, pollMs: number) {
  const { natsPrefix: prefix = 'hookline', natsReplicas: replicas = 1 } = options
  const nats = stack.use(await NatsLink.open({ url: options.natsUrl, ...options.natsSecurity }))
  if (options.natsMonitorUrl) refuseUnsynced(await monitoredServers(options.natsMonitorUrl))
  const waiting = new ByteBudget(options.maxWaitingBytes ?? MAX_WAITING_BYTES)
  // Otherwise a node that has lost PostgreSQL would keep events from those that have not.
  const canWork = (signal: AbortSignal): Promise<void> => untilAvailable(postgres, signal)
  const log = stack.use(await openLogOf(postgres, nats, { prefix, replicas, waiting, canWork }))
  const relay = stack.use(log.relayOutbox(postgres))
  const end = new ArchiveEnd({ postgres, link: nats, prefix, clock: systemClock, pollMs })
  /** Events of the log that the archive has refused, because a purge covers them. */
  const refused = new WeakSet<object>()
  const events = new PostgresEvents({
    postgres,
    dedupeWindowMs: options.dedupeWindowMs ?? DEDUPE_WINDOW_MS,
    positionOf: (event) => log.positions.of(event) ?? 0,
    onRefused: (purged) => purged.forEach((event) => refused.add(event)),
    onArchived: (seq) => end.archived(seq),
  })
  /** A position that nothing exceeds that was appended before the call, by any node, also by a transaction of the database. */
  const lastPosition = async (): Promise<number> => {
    await relay.flush()
    return log.lastPosition()
  }
  const followedLog = new PostgresFollowedLog(postgres, end)
  return { nats, log, events, followedLog, lastPosition, refused }
}

/** Shared by the queues of deliveries and of notices. */
async function openClaimingNode({ stack, postgres, options }: Opened): Promise<ClaimingNode> {
  const { claimMs: leaseMs, migrations = MIGRATIONS } = options
  const schema = latestOf(migrations)
  return stack.use(await ClaimingNode.open({ postgres, clock: systemClock, leaseMs, schema }))
}

const refuse = (): never => {
  throw new Error('A node of a cluster has no threads: start more nodes.')
}

/** No thread joins a node of a cluster: `service.ts` starts none. */
const NO_THREADS: BackendThreads = {
  connect: async () => refuse(),
  connectToLog: refuse,
  onAppended: () => () => undefined,
  onChange: () => () => undefined,
  seeDamage: refuse,
}

/** How often a node without PostgreSQL looks for it. */
const AVAILABLE_MS = 500

/** Resolves when PostgreSQL responds to this node, or `signal` aborts. */
async function untilAvailable(postgres: Postgres, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      await postgres.run(sql`SELECT 1`)
      return
    } catch (error) {
      if (!(error instanceof BackendUnavailable)) throw error
      await pause(systemClock, AVAILABLE_MS, signal)
    }
  }
}

/** The state is in two places, which have their own tools. */
function refuseCopy(): Promise<never> {
  return Promise.reject(
    new NoCopy(
      'On a cluster, back up PostgreSQL with pg_dump, or with its continuous archiving; and the stream of NATS, which has the events ' +
        'that are not archived yet, with `nats stream backup`.',
    ),
  )
}
