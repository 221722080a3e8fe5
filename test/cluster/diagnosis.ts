import { setTimeout as sleep } from 'node:timers/promises'
import type { Arrivals } from './arrivals.ts'
import { type Cluster, STREAM } from './cluster.ts'
import type { AcceptedCall } from './traffic.ts'

const LAST_CHARACTERS = 8_000
const MAX_LOST = 5
/** Longer than the interval between heartbeats of an entry. */
const LISTENING_MS = 8_000

/** Where missing calls may be, for the message of a failed assertion. */
export async function diagnosis(
  cluster: Cluster,
  arrivals: Arrivals,
  accepted: ReadonlyMap<string, AcceptedCall>,
): Promise<string> {
  const missing = arrivals.missing(accepted.keys())
  const now = performance.now()
  const parts = [
    ['calls that have not arrived', async () => missing.length],
    [
      'how long ago the first of them got a 200, ms',
      async () => missing.slice(0, MAX_LOST).map((id) => [id, now - accepted.get(id)!.acceptedAt]),
    ],
    ['nodes', () => nodesOf(cluster)],
    ['JetStream', () => jetStreamOf(cluster)],
    ['entry heartbeats and repeated acks', () => acksOf(cluster)],
    ...QUERIES.map((query) => [query, () => cluster.sql(query)] as const),
    ['their state', () => cluster.sql(stateOf(missing.slice(0, MAX_LOST)))],
  ] as const
  const texts = await Promise.all(
    parts.map(async ([name, read]) => `== ${name}\n${await textOf(read)}`),
  )
  return texts.join('\n')
}

const QUERIES = [
  'SELECT count(*) FROM outbox',
  'SELECT lane, claimed_by, count(*), min(due_at), max(due_at) FROM waiting_parts GROUP BY 1, 2',
  'SELECT id, until, clock_timestamp() AS now FROM claiming_nodes',
  'SELECT *, clock_timestamp() AS now FROM leases',
  'SELECT state, count(*) FROM deliveries GROUP BY 1',
  "SELECT pid, state, wait_event, now() - xact_start AS age, left(query, 120) AS query FROM pg_stat_activity WHERE application_name = 'hookline' AND (state <> 'idle' OR xact_start IS NOT NULL)",
  "SELECT pid, objid, granted FROM pg_locks WHERE locktype = 'advisory'",
]

async function nodesOf({ nodes }: Cluster): Promise<unknown> {
  return Promise.all(
    nodes.map(async (node) => ({
      name: node.name,
      isRunning: node.isRunning,
      readyz: await fetch(`${node.url}/readyz`, { signal: AbortSignal.timeout(6_000) })
        .then((response) => response.text())
        .catch(String),
      stderr: node.stderr
        .split('\n')
        // Expected, because the receiver fails some first attempts.
        .filter((line) => !line.includes('webhook.'))
        .join('\n')
        .slice(-LAST_CHARACTERS)
        .split('\n'),
    })),
  )
}

function jetStreamOf({ nats }: Cluster): Promise<unknown> {
  return nats.with(async (manager) => ({
    stream: await manager.streams.info(STREAM, { subjects_filter: '>' }),
    consumers: await manager.consumers.list(STREAM).next(),
  }))
}

/** Heartbeats of entries, and repeated acks. */
function acksOf({ nats }: Cluster): Promise<unknown> {
  return nats.with(async (_, connection) => {
    const counts: Record<string, number> = {}
    const subscription = connection.subscribe(`$JS.ACK.${STREAM}.>`, {
      callback: (_error, message) => {
        const key = `${message.string()} ${message.subject.split('.').slice(3, 6).join(' ')}`
        counts[key] = (counts[key] ?? 0) + 1
      },
    })
    await sleep(LISTENING_MS)
    subscription.unsubscribe()
    return Object.entries(counts).filter(([key, count]) => count > 1 || key.startsWith('+WPI'))
  })
}

function stateOf(messageIds: readonly string[]): string {
  const ids = messageIds.map((id) => `'${id}'`).join()
  return `SELECT message_id, events.id, seq, log_position, deliveries.state, deliveries.webhooks
    FROM events LEFT JOIN deliveries ON event_id = events.id WHERE message_id = ANY(ARRAY[${ids}]::text[])`
}

async function textOf(read: () => Promise<unknown>): Promise<string> {
  try {
    return JSON.stringify(await read(), undefined, 1)
  } catch (error) {
    return String(error)
  }
}
