import type { Clock } from '../../util/time/clock.ts'
import type { SecretBox } from '../../util/secrets/secret-box.ts'
import type { AuditWriter } from './postgres/postgres-store.ts'
import { ClaimingNode } from './deliveries/queue/claiming-node.ts'
import { PostgresDeliveries } from './deliveries/postgres-deliveries.ts'
import type { QueueOptions } from './deliveries/queue/postgres-delivery-queue.ts'
import { PostgresDeliveryReports } from './deliveries/reports/postgres-delivery-reports.ts'
import { PostgresLanes } from './deliveries/rows/postgres-lanes.ts'
import type { Postgres } from './postgres/postgres.ts'
import { PostgresQuarantine } from './quarantine/postgres-quarantine.ts'
import { PostgresReplays } from './replays/postgres-replays.ts'

interface OpenQueuesOptions {
  readonly postgres: Postgres
  readonly box: SecretBox
  readonly audit: AuditWriter
  readonly clock: Clock
  /** See `ClusterOptions`. */
  readonly claimMs?: number | undefined
  /** The version of the schema that this node knows. */
  readonly schema: number
}

/** What goes from the pipeline to the receivers. `queue` is what other queues share with that of deliveries. */
export interface OpenedQueues {
  readonly queue: QueueOptions
  readonly deliveries: PostgresDeliveries
  readonly reports: PostgresDeliveryReports
  readonly quarantine: PostgresQuarantine
  readonly replays: PostgresReplays
}

export async function openQueues(
  stack: AsyncDisposableStack,
  { postgres, box, audit, clock, claimMs, schema }: OpenQueuesOptions,
): Promise<OpenedQueues> {
  const node = stack.use(await ClaimingNode.open({ postgres, clock, leaseMs: claimMs, schema }))
  const lanes = new PostgresLanes(postgres, box)
  const queue = { postgres, node, lanes }
  const deliveries = new PostgresDeliveries(queue)
  return {
    queue,
    deliveries,
    reports: new PostgresDeliveryReports(postgres, lanes),
    quarantine: new PostgresQuarantine({ postgres, lanes, deliveries }),
    replays: new PostgresReplays(postgres, audit),
  }
}
