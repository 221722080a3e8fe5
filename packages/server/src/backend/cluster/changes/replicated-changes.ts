import { sql } from 'kysely'
import type { Redacted } from '../../../util/secrets/redacted.ts'
import type { Clock } from '../../../util/time/clock.ts'
import { RecurringWork } from '../../../util/time/recurring.ts'
import type { Signals } from '../../signals.ts'
import type { ChangeKind } from '../../store/store.ts'
import { type Connection, type Postgres, SCHEMA } from '../postgres/postgres.ts'
import { listen } from './listener.ts'

/** A request to other nodes, which respond once they have applied all changes of the kind. */
interface ReplicaRequest {
  readonly kind: ChangeKind
}

interface ReplicatedChangesOptions {
  readonly postgres: Postgres
  readonly url: Redacted
  readonly clock: Clock
  readonly signals: Pick<Signals, 'request' | 'onRequest'>
  /** How often to look for changes, in case a notification was lost. */
  readonly pollMs: number
}

/**
 * Refreshes state in memory after changes on any node. Each kind of change has a number in the table `changes`:
 *
 *     a notification, or a reconnect ─┐
 *     pollMs since the last read ─────┴─▶ read all numbers ─▶ refresh kinds with a new number
 *
 * After a change, a node also waits for the others (`spread`), so that the next request finds the
 * change on every node.
 */
export class ReplicatedChanges implements AsyncDisposable {
  readonly #postgres: Postgres
  readonly #signals: ReplicatedChangesOptions['signals']
  readonly #pollMs: number
  readonly #followers = new Map<ChangeKind, Set<Follower>>()
  readonly #stop = new AbortController()
  readonly #reads: RecurringWork
  readonly #running: Promise<unknown>
  readonly #stopResponding: () => void
  #failure: unknown

  constructor({ postgres, url, clock, pollMs, signals }: ReplicatedChangesOptions) {
    this.#postgres = postgres
    this.#signals = signals
    this.#pollMs = pollMs
    this.#reads = new RecurringWork({ clock, work: () => this.#read() })
    const { signal } = this.#stop
    const onNotify = (): void => this.#reads.wake()
    this.#running = Promise.all([this.#reads.run(signal), listen({ url, clock, onNotify, signal })])
    this.#stopResponding = signals.onRequest('replicas', (request) =>
      this.#respond(request as ReplicaRequest),
    )
  }

  /** Calls `refresh` soon, and after each change of this kind, one call at a time, until the returned function is called. */
  on(kind: ChangeKind, refresh: () => Promise<unknown>): () => void {
    const follower = new Follower(refresh)
    const followers = this.#followers.get(kind) ?? new Set()
    this.#followers.set(kind, followers.add(follower))
    this.#reads.wake()
    return () => {
      followers.delete(follower)
      void follower.stop()
    }
  }

  /** Publishes a change on commit. Resolves to its number. Changes of a kind are serialised from here until their commit. */
  async publish(transaction: Connection, kind: ChangeKind): Promise<number> {
    const { rows } = await sql<{ readonly number: number }>`
      WITH change AS (
        INSERT INTO changes AS kept VALUES (${kind}, 1)
        ON CONFLICT (kind) DO UPDATE SET number = kept.number + 1 RETURNING number
      )
      SELECT number, pg_notify(${SCHEMA}, ${kind}) FROM change`.execute(transaction)
    return rows[0]!.number
  }

  /** Resolves when the other nodes have applied everything committed before. Waits at most half a second. */
  async spread(kind: ChangeKind): Promise<void> {
    await this.#signals.request('replicas', { kind } satisfies ReplicaRequest)
  }

  /** Why state in memory may be older than `pollMs`; `undefined` while this node receives all changes. */
  get failure(): unknown {
    return this.#failure ?? this.#all.map(({ failure }) => failure).find(Boolean)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort()
    this.#stopResponding()
    await this.#running
    await Promise.all(this.#all.map((each) => each.stop()))
  }

  get #all(): Follower[] {
    return [...this.#followers.values()].flatMap((each) => [...each])
  }

  async #respond({ kind }: ReplicaRequest): Promise<object> {
    await this.#read()
    if (this.#failure !== undefined) throw this.#failure
    await Promise.all([...(this.#followers.get(kind) ?? [])].map((each) => each.caughtUp()))
    return {}
  }

  async #read(): Promise<number> {
    try {
      const rows = await this.#postgres.run(
        sql<{ readonly kind: ChangeKind; readonly number: number }>`SELECT * FROM changes`,
      )
      const numbers = new Map(rows.map(({ kind, number }) => [kind, number]))
      for (const [kind, followers] of this.#followers)
        for (const each of followers) each.reach(numbers.get(kind) ?? 0)
      this.#failure = undefined
    } catch (error) {
      this.#failure = error
    }
    return this.#pollMs
  }
}

/** State in memory that is refreshed after changes. */
class Follower {
  failure: unknown
  readonly #refresh: () => Promise<unknown>
  /** The numbers of the last committed change, and of the last one in memory. */
  #target: number | undefined
  #reached: number | undefined
  #running: Promise<void> | undefined
  #isStopped = false

  constructor(refresh: () => Promise<unknown>) {
    this.#refresh = refresh
  }

  reach(number: number): void {
    this.#target = number
    if (this.#reached !== number) this.#running ??= this.#run()
  }

  /** Resolves when all known changes are in memory. Rejects if the refresh does. */
  async caughtUp(): Promise<void> {
    await this.#running
    if (this.failure !== undefined) throw this.failure
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    await this.#running
  }

  async #run(): Promise<void> {
    // A restored database has smaller numbers, so this compares for equality.
    while (this.#reached !== this.#target && !this.#isStopped) {
      const number = this.#target
      try {
        await this.#refresh()
        this.#reached = number
        this.failure = undefined
      } catch (error) {
        // Retried after the next read.
        this.failure = error
        break
      }
    }
    this.#running = undefined
  }
}
