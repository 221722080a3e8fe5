import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { Clock } from '../../util/time/clock.ts'
import type { Nodes, ServiceNode } from '../nodes.ts'
import type { Postgres } from './postgres/postgres.ts'
import { unlessUnavailable } from './postgres/unavailable.ts'

interface PostgresNodesOptions {
  readonly postgres: Postgres
  readonly clock: Clock
  readonly heartbeatMs?: number | undefined
}

const HEARTBEAT_MS = 2_000
/** A node counts as dead after this many missed heartbeats. */
const MISSED_HEARTBEATS = 5
const SHOWN_MS = 10 * 60_000
const MAX_SHOWN = 200

/**
 * Nodes as rows with heartbeats, timed by the database clock:
 *
 *     join ─▶ alive ─ a heartbeat every 2 s, which also reads the other nodes ─▶ alive
 *              ├─ disposed ─▶ removed immediately
 *              └─ none for 10 s ─▶ dead, shown for 10 min ─▶ removed by another node
 */
export class PostgresNodes implements Nodes, AsyncDisposable {
  readonly id = randomUUID()
  readonly #postgres: Postgres
  readonly #clock: Clock
  readonly #heartbeatMs: number
  readonly #listeners = new Set<() => void>()
  #current: readonly ServiceNode[] = []
  #joined: Pick<ServiceNode, 'version' | 'role'> | undefined
  #cancel: () => void = () => undefined
  #beating: Promise<void> = Promise.resolve()
  #left: Promise<void> = Promise.resolve()

  constructor({ postgres, clock, heartbeatMs = HEARTBEAT_MS }: PostgresNodesOptions) {
    this.#postgres = postgres
    this.#clock = clock
    this.#heartbeatMs = heartbeatMs
  }

  get current(): readonly ServiceNode[] {
    return this.#current
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  async join(node: Pick<ServiceNode, 'version' | 'role'>): Promise<AsyncDisposable> {
    this.#cancel()
    await this.#beating
    this.#joined = node
    await this.#beat()
    this.#scheduleHeartbeat()
    return this
  }

  [Symbol.asyncDispose](): Promise<void> {
    if (this.#joined !== undefined) this.#left = this.#leave()
    return this.#left
  }

  async #leave(): Promise<void> {
    this.#joined = undefined
    this.#cancel()
    await this.#beating
    await unlessUnavailable(this.#postgres.run(sql`DELETE FROM nodes WHERE id = ${this.id}`))
  }

  #scheduleHeartbeat(): void {
    if (this.#joined === undefined) return
    this.#cancel()
    this.#cancel = this.#clock.after(this.#heartbeatMs, () => {
      this.#beating = unlessUnavailable(this.#beat()).then(() => this.#scheduleHeartbeat())
    })
  }

  /** A statement does not see its own changes, so the row of this node comes from RETURNING. */
  async #beat(): Promise<void> {
    const { version, role } = this.#joined!
    const rows = await this.#postgres.run(sql<ServiceNode>`
      WITH removed AS (
        DELETE FROM nodes WHERE seen_at < clock_timestamp() - ${SHOWN_MS} * interval '1 millisecond' AND id <> ${this.id}),
      own AS (
        INSERT INTO nodes VALUES (${this.id}, ${version}, ${role}, clock_timestamp(), clock_timestamp())
        ON CONFLICT (id) DO UPDATE SET (version, role, seen_at) = (excluded.version, excluded.role, excluded.seen_at) RETURNING *),
      present AS (SELECT * FROM own UNION ALL SELECT * FROM nodes WHERE id <> ${this.id})
      SELECT id, version, role,
        (extract(epoch FROM started_at) * 1000)::bigint AS "startedAt",
        (extract(epoch FROM seen_at) * 1000)::bigint AS "seenAt",
        seen_at > clock_timestamp() - ${MISSED_HEARTBEATS * this.#heartbeatMs} * interval '1 millisecond' AS "isAlive"
      FROM present WHERE seen_at > clock_timestamp() - ${SHOWN_MS} * interval '1 millisecond'
      ORDER BY "isAlive" DESC, id LIMIT ${MAX_SHOWN}`)
    this.#update(rows)
  }

  #update(nodes: readonly ServiceNode[]): void {
    const before = aliveIn(this.#current)
    this.#current = nodes.toSorted((a, b) => (a.id < b.id ? -1 : 1))
    if (aliveIn(this.#current) === before) return
    for (const listener of this.#listeners) listener()
  }
}

function aliveIn(nodes: readonly ServiceNode[]): string {
  return nodes.flatMap(({ id, role, isAlive }) => (isAlive ? `${id} ${role}` : [])).join()
}
