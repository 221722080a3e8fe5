import { ByteBudget } from '../../util/limits/byte-budget.ts'
import { systemClock } from '../../util/time/clock.ts'
import { ArchiveEnd } from './events/archive-end.ts'
import { PostgresEvents } from './events/postgres-events.ts'
import { PostgresFollowedLog } from './events/postgres-followed-log.ts'
import { ArchivedSignal } from './jetstream/archived-signal.ts'
import { openLogOf } from './installation.ts'
import type { JetStreamLog } from './jetstream/jetstream-log.ts'
import { NatsLink } from './jetstream/nats-link.ts'
import type { NatsSecurity } from './jetstream/nats-options.ts'
import type { Redacted } from '../../util/secrets/redacted.ts'
import { monitoredServers, refuseUnsynced } from './jetstream/monitored-servers.ts'
import type { Postgres } from './postgres/postgres.ts'
import { untilAvailable } from './postgres/until-available.ts'

const MAX_WAITING_BYTES = 64 * 1024 * 1024
const DEDUPE_WINDOW_MS = 24 * 60 * 60 * 1000

/** Of the log and the archive: see `ClusterOptions`. */
interface LogOptions {
  readonly natsUrl: Redacted
  readonly natsSecurity?: NatsSecurity
  readonly natsMonitorUrl?: Redacted
  readonly natsPrefix?: string
  readonly natsReplicas?: number
  readonly maxWaitingBytes?: number
  readonly dedupeWindowMs?: number
}

/** The log, and the archive that its consumers fill. */
export interface OpenedLog {
  readonly nats: NatsLink
  readonly log: JetStreamLog
  readonly events: PostgresEvents
  readonly followedLog: PostgresFollowedLog
  /** A position that nothing exceeds that was appended before the call, by any node, also by a transaction of the database. */
  readonly lastPosition: () => Promise<number>
  /** Events of the log that the archive has refused, because a purge covers them. */
  readonly refused: WeakSet<object>
}

export async function openLog(
  stack: AsyncDisposableStack,
  {
    postgres,
    pollMs,
    options,
  }: {
    readonly postgres: Postgres
    readonly pollMs: number
    readonly options: LogOptions
  },
): Promise<OpenedLog> {
  const { natsPrefix: prefix = 'hookline', natsReplicas: replicas = 1 } = options
  const nats = stack.use(await NatsLink.open({ url: options.natsUrl, ...options.natsSecurity }))
  if (options.natsMonitorUrl) refuseUnsynced(await monitoredServers(options.natsMonitorUrl))
  const waiting = new ByteBudget(options.maxWaitingBytes ?? MAX_WAITING_BYTES)
  // Otherwise a node that has lost PostgreSQL would keep events from those that have not.
  const canWork = (signal: AbortSignal): Promise<void> =>
    untilAvailable(postgres, systemClock, signal)
  const log = stack.use(await openLogOf(postgres, nats, { prefix, replicas, waiting, canWork }))
  const relay = stack.use(log.relayOutbox(postgres))
  const signal = new ArchivedSignal(nats, prefix)
  const end = new ArchiveEnd({ postgres, signal, clock: systemClock, pollMs })
  const refused = new WeakSet<object>()
  const events = new PostgresEvents({
    postgres,
    dedupeWindowMs: options.dedupeWindowMs ?? DEDUPE_WINDOW_MS,
    positionOf: (event) => log.positions.of(event) ?? 0,
    onRefused: (purged) => purged.forEach((event) => refused.add(event)),
    onArchived: (seq) => end.archived(seq),
  })
  const lastPosition = async (): Promise<number> => {
    await relay.flush()
    return log.lastPosition()
  }
  const followedLog = new PostgresFollowedLog(postgres, end)
  return { nats, log, events, followedLog, lastPosition, refused }
}
