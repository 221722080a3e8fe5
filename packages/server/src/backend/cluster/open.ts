import { announcementsIn } from './announcements.ts'
import { StoredEvaluations } from '../store/profiles/evaluations.ts'
import { StoredFacts } from '../store/profiles/facts.ts'
import { StoredMemberships } from '../store/profiles/memberships.ts'
import { StoredProfiles } from '../store/profiles/stored-profiles.ts'
import { systemClock } from '../../util/time/clock.ts'
import type { Redacted } from '../../util/secrets/redacted.ts'
import { SecretBox } from '../../util/secrets/secret-box.ts'
import type { Backend } from '../backend.ts'
import type { BackendThreads } from '../threads.ts'
import { StoredAudit } from '../store/audit.ts'
import { StoredCatalog } from '../store/catalog.ts'
import { StoredDeletions } from '../store/deletions.ts'
import { StoredDeliveryReports } from '../store/delivery-reports.ts'
import { StoredIdempotentResponses } from '../store/idempotent-responses.ts'
import { StoredKeyUses } from '../store/key-uses.ts'
import { noticeQueueOf, StoredNotices } from '../store/notices.ts'
import { StoredQuarantine } from '../store/quarantine.ts'
import { StoredReplays } from '../store/replays.ts'
import { StoredStatistics } from '../store/statistics.ts'
import { StoredParts } from '../store/stored-parts.ts'
import { StoredSuppressions } from '../store/suppressions.ts'
import { StoredSyncs } from '../store/syncs.ts'
import { StoredTokens } from '../store/tokens.ts'
import { ChangeFeed } from './changes/change-feed.ts'
import { PostgresDeliveries } from './deliveries/postgres-deliveries.ts'
import { ClaimingNode } from './deliveries/queue/claiming-node.ts'
import {
  PostgresDeliveryQueue,
  type QueueOptions,
} from './deliveries/queue/postgres-delivery-queue.ts'
import { NOTICE_TABLE } from './deliveries/rows/notice-table.ts'
import { PostgresLanes } from './deliveries/rows/postgres-lanes.ts'
import { quarantineAndCount } from './deliveries/rows/replay-ends.ts'
import { checkEncryptionKey } from './encryption/encryption-key.ts'
import { eraseRemoved } from './erasure/erase.ts'
import type { NatsLink } from './jetstream/nats-link.ts'
import type { NatsSecurity } from './jetstream/nats-options.ts'
import { PostgresNodes } from './postgres-nodes.ts'
import { openLog } from './open-log.ts'
import { postgresPurge } from './deletions/postgres-purge.ts'
import { PostgresOwnKeys } from './postgres-own-keys.ts'
import { PostgresLeases } from './postgres-leases.ts'
import { refuseUnfinishedMove } from './move/move-progress.ts'
import { confirmSchema, latestOf, migrate } from './postgres/migrate.ts'
import { MIGRATIONS, type Migration } from './postgres/migrations/migrations.ts'
import { checkServer } from './postgres/check-server.ts'
import { postgresRefusal } from './postgres/refusal.ts'
import { Postgres } from './postgres/postgres.ts'
import { auditWriter, PostgresStore } from './postgres/postgres-store.ts'
import { NatsSignals } from './signals/nats-signals.ts'
import { ClusterProbe } from './upkeep/cluster-probe.ts'
import { PostgresUpkeep } from './upkeep/postgres-upkeep.ts'
import { refuseCopy } from './upkeep/refuse-copy.ts'

export interface ClusterOptions {
  /** Of PostgreSQL, with the password. */
  readonly databaseUrl: Redacted
  /** Servers of NATS, separated by commas. */
  readonly natsUrl: Redacted
  /** Credentials, nkey and TLS, beside what the URL says. */
  readonly natsSecurity?: NatsSecurity
  /** Monitoring ports of all servers of NATS, separated by commas. */
  readonly natsMonitorUrl?: Redacted
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
  await checkServer(postgres).catch((error: unknown) => {
    throw postgresRefusal(error) ?? error
  })
  await migrate(postgres, migrations).catch((error: unknown) => {
    throw postgresRefusal(error) ?? error
  })
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

async function portsOf({ stack, postgres, box, options }: Opened) {
  const { databaseUrl: url, pollMs = POLL_MS } = options
  const audit = auditWriter(box)
  const opened = await openLog(stack, { postgres, pollMs, options })
  const { log, events, followedLog, refused, lastPosition } = opened
  const { nodes, signals } = openNodes({ stack, postgres, box, options }, opened.nats)
  const feed = stack.use(new ChangeFeed({ postgres, url, clock: systemClock, pollMs, signals }))
  const store = new PostgresStore(postgres, feed, audit)
  const probe = new ClusterProbe({
    postgres,
    askLog: () => log.lastPosition(),
    staleness: () => feed.failure,
  })
  const catalog = await StoredCatalog.open({ store, box })
  const queue = await openQueue({ stack, postgres, box, options })
  const { lanes } = queue
  const deliveries = new PostgresDeliveries(queue, store)
  const purge = postgresPurge({
    postgres,
    feed,
    lastPosition,
    erase: (signal) => eraseRemoved({ postgres, clock: systemClock, signal }),
    consumedPositionOf: (carried) => log.positions.of(carried),
    refused,
  })
  return {
    deliveries,
    reports: new StoredDeliveryReports(store, lanes),
    quarantine: new StoredQuarantine(store, deliveries, quarantineAndCount),
    replays: new StoredReplays(store),
    deletions: await StoredDeletions.open(store, purge, systemClock),
    notices: new StoredNotices(store, new StoredParts('notices', lanes)),
    noticeQueue: noticeQueueOf(store, new PostgresDeliveryQueue(NOTICE_TABLE, queue)),
    suppressions: await StoredSuppressions.open(store, systemClock),
    log,
    events,
    followedLog,
    threads: NO_THREADS,
    catalog,
    keyUses: await StoredKeyUses.open(store),
    tokens: await StoredTokens.open(store),
    audit: new StoredAudit(store, box),
    idempotentResponses: new StoredIdempotentResponses(store),
    statistics: new StoredStatistics(store),
    ownKeys: new PostgresOwnKeys(postgres, box),
    leases: new PostgresLeases({ postgres, clock: systemClock }),
    nodes,
    signals,
    profiles: new StoredProfiles(store),
    facts: new StoredFacts(store),
    evaluations: new StoredEvaluations(store, announcementsIn(postgres)),
    memberships: new StoredMemberships(store),
    syncs: new StoredSyncs(store),
    upkeep: await PostgresUpkeep.open(postgres, () => log.state()),
    copyTo: refuseCopy,
    probe: () => probe.run(),
    // What is stored is for PostgreSQL and NATS to check.
    damaged: new Promise<Error>(() => undefined),
  } satisfies Omit<Backend, typeof Symbol.asyncDispose>
}

/** Shared by the queues of deliveries and of notices. */
async function openQueue({ stack, postgres, box, options }: Opened): Promise<QueueOptions> {
  const { claimMs: leaseMs, migrations = MIGRATIONS } = options
  const claiming = { clock: systemClock, leaseMs, schema: latestOf(migrations) }
  const node = stack.use(await ClaimingNode.open({ postgres, ...claiming }))
  return { postgres, node, lanes: new PostgresLanes(postgres, box) }
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

/** This node among the others, and what they tell each other. */
function openNodes(
  { stack, postgres, box, options }: Opened,
  link: NatsLink,
): Pick<Backend, 'nodes' | 'signals'> {
  const { natsPrefix: prefix = 'hookline', nodeBeatMs } = options
  const clock = systemClock
  const nodes = stack.use(new PostgresNodes({ postgres, clock, beatMs: nodeBeatMs }))
  const signals = stack.use(new NatsSignals({ link, prefix, box, clock, nodes }))
  return { nodes, signals }
}
