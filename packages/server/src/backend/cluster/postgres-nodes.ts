import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { Clock } from '../../util/time/clock.ts'
import type { NodeRole, Nodes, ServiceNode } from '../nodes.ts'
import type { Postgres } from './postgres/postgres.ts'
import { unlessUnavailable } from './postgres/unavailable.ts'

interface PostgresNodesOptions {
  readonly postgres: Postgres
  readonly clock: Clock
  /** How often a node stores that it is alive. Defaults to 2 s. */
  readonly beatMs?: number | undefined
}

const BEAT_MS = 2_000
/** A node is taken to be dead when so many heartbeats are missing. */
const MISSING = 5
/** How long a node that has died is shown. */
const SHOWN_MS = 10 * 60_000
const MOST_SHOWN = 200

interface NodeRow {
  readonly id: string
  readonly version: string
  readonly role: NodeRole
  readonly started_at: number
  readonly seen_at: number
  readonly is_alive: boolean
}

/**
 * Nodes as rows with heartbeats, by the clock of the database:
 *
 *     join ─▶ alive ─ a heartbeat every 2 s ─▶ alive
 *              ├─ disposed ─▶ removed at once
 *              └─ none for 10 s ─▶ dead, shown for 10 min ─▶ removed by another node
 *
 * Each heartbeat also reads who else is there, so all nodes know of a new one within two seconds.
 */
export class PostgresNodes implements Nodes, AsyncDisposable {
  readonly id = randomUUID()
  readonly #postgres: Postgres
  readonly #clock: Clock
  readonly #beatMs: number
  readonly #listeners = new Set<() => void>()
  #current: readonly ServiceNode[] = []
  #joined: Pick<ServiceNode, 'version' | 'role'> | undefined
  #cancel: () => void = () => undefined
  #beating: Promise<void> = Promise.resolve()
  #left: Promise<void> = Promise.resolve()

  constructor({ postgres, clock, beatMs = BEAT_MS }: PostgresNodesOptions) {
    this.#postgres = postgres
    this.#clock = clock
    this.#beatMs = beatMs
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
    this.#beatLater()
    return { [Symbol.asyncDispose]: () => this[Symbol.asyncDispose]() }
  }

  [Symbol.asyncDispose](): Promise<void> {
    if (this.#joined !== undefined) this.#left = this.#leave()
    return this.#left
  }

  async #leave(): Promise<void> {
    this.#joined = undefined
    this.#cancel()
    await this.#beating
    // Without the database, the others find out by themselves.
    await unlessUnavailable(this.#postgres.run(sql`DELETE FROM nodes WHERE id = ${this.id}`))
  }

  #beatLater(): void {
    if (this.#joined === undefined) return
    this.#cancel()
    this.#cancel = this.#clock.after(this.#beatMs, () => {
      this.#beating = unlessUnavailable(this.#beat()).then(() => this.#beatLater())
    })
  }

  /** The statement sees the table as it was before, so this node is read from what it writes. */
  async #beat(): Promise<void> {
    const { version, role } = this.#joined!
    const rows = await this.#postgres.run(sql<NodeRow>`
      WITH gone AS (
        DELETE FROM nodes WHERE seen_at < clock_timestamp() - ${SHOWN_MS} * interval '1 millisecond' AND id <> ${this.id}),
      own AS (
        INSERT INTO nodes VALUES (${this.id}, ${version}, ${role}, clock_timestamp(), clock_timestamp())
        ON CONFLICT (id) DO UPDATE SET (version, role, seen_at) = (excluded.version, excluded.role, excluded.seen_at) RETURNING *),
      known AS (SELECT * FROM own UNION ALL SELECT * FROM nodes WHERE id <> ${this.id})
      SELECT id, version, role,
        (extract(epoch FROM started_at) * 1000)::bigint AS started_at,
        (extract(epoch FROM seen_at) * 1000)::bigint AS seen_at,
        seen_at > clock_timestamp() - ${MISSING * this.#beatMs} * interval '1 millisecond' AS is_alive
      FROM known WHERE seen_at > clock_timestamp() - ${SHOWN_MS} * interval '1 millisecond'
      ORDER BY is_alive DESC, id LIMIT ${MOST_SHOWN}`)
    this.#know(rows.map(nodeOf))
  }

  #know(nodes: readonly ServiceNode[]): void {
    const before = aliveIn(this.#current)
    this.#current = nodes.toSorted((a, b) => (a.id < b.id ? -1 : 1))
    if (aliveIn(this.#current) === before) return
    for (const listener of this.#listeners) listener()
  }
}

function nodeOf(row: NodeRow): ServiceNode {
  const { id, version, role, started_at: startedAt, seen_at: seenAt, is_alive: isAlive } = row
  return { id, version, role, startedAt, seenAt, isAlive }
}

function aliveIn(nodes: readonly ServiceNode[]): string {
  return nodes.flatMap(({ id, role, isAlive }) => (isAlive ? `${id} ${role}` : [])).join()
}
