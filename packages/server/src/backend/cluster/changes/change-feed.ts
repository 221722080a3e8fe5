import { sql } from 'kysely'
import type { Redacted } from '../../../util/secrets/redacted.ts'
import type { Clock } from '../../../util/time/clock.ts'
import { Recurring } from '../../../util/time/recurring.ts'
import type { Signals } from '../../signals.ts'
import type { ChangeKind } from '../../store/store.ts'
import { type Connection, type Postgres, SCHEMA } from '../postgres/postgres.ts'
import { Listener } from './listener.ts'

/** What nodes ask each other to follow. */
interface AskedKind {
  readonly kind: ChangeKind
}

interface ChangeFeedOptions {
  readonly postgres: Postgres
  /** Of the same database. */
  readonly url: Redacted
  readonly clock: Clock
  /** Ask the other nodes to follow a change at once. */
  readonly signals: Pick<Signals, 'ask' | 'onAsked'>
  /** How often changes are looked for that no notification has told. */
  readonly pollMs: number
}

/**
 * Tells every node what was changed, on whichever of them. Each kind has a number in the table `changes` that grows with each
 * change. A look reads all numbers, and refreshes what has another one than at its last refresh:
 *
 *     a notification, or connected again ─┐
 *     pollMs since the last look ─────────┴─▶ look ─▶ refresh of what has changed
 *
 * So a notification makes it fast, and one that is lost costs no more than `pollMs`. Whoever makes a change also waits for the other
 * nodes (`spread`): the next request finds it on whichever node it comes to.
 */
export class ChangeFeed implements AsyncDisposable {
  readonly #postgres: Postgres
  readonly #signals: ChangeFeedOptions['signals']
  readonly #pollMs: number
  readonly #followers = new Map<ChangeKind, Set<Follower>>()
  readonly #stop = new AbortController()
  readonly #looks: Recurring
  readonly #looking: Promise<void>
  readonly #listener: Listener
  readonly #stopAnswering: () => void
  #failure: unknown

  constructor({ postgres, url, clock, pollMs, signals }: ChangeFeedOptions) {
    this.#postgres = postgres
    this.#signals = signals
    this.#pollMs = pollMs
    this.#looks = new Recurring({ clock, work: () => this.#look() })
    this.#looking = this.#looks.run(this.#stop.signal)
    this.#listener = new Listener({ url, clock, onNews: () => this.#looks.wake() })
    this.#stopAnswering = signals.onAsked('replicas', (kind) => this.#follow(kind as AskedKind))
  }

  /**
   * Calls `refresh` soon, and then after each change of this kind, one call at a time. A call has to find what was committed
   * before it. One that rejects is made again after `pollMs`. Returns the function that stops it.
   */
  on(kind: ChangeKind, refresh: () => Promise<unknown>): () => void {
    const follower = new Follower(refresh)
    const all = this.#followers.get(kind) ?? new Set()
    this.#followers.set(kind, all.add(follower))
    this.#looks.wake()
    return () => {
      all.delete(follower)
      void follower.stop()
    }
  }

  /**
   * Tells of a change that the transaction makes, once it is committed. Resolves to the number of the change. Changes of a
   * kind take turns from here to their commit: whoever sees a number sees all that was changed under smaller ones.
   */
  async tell(transaction: Connection, kind: ChangeKind): Promise<number> {
    const { rows } = await sql<{ readonly number: number }>`
      WITH told AS (
        INSERT INTO changes AS kept VALUES (${kind}, 1)
        ON CONFLICT (kind) DO UPDATE SET number = kept.number + 1 RETURNING number
      )
      SELECT number, pg_notify(${SCHEMA}, ${kind}) FROM told`.execute(transaction)
    return rows[0]!.number
  }

  /**
   * Resolves when the other nodes have in memory what was committed before. It waits half a second for one that is cut off, which
   * follows later.
   */
  async spread(kind: ChangeKind): Promise<void> {
    await this.#signals.ask('replicas', { kind } satisfies AskedKind)
  }

  /** Why something in memory may be older than `pollMs`; `undefined` while this node follows all changes. */
  get failure(): unknown {
    return this.#failure ?? this.#all.map(({ failure }) => failure).find(Boolean)
  }

  /** Resolves when no refresh runs, and none will. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort()
    this.#stopAnswering()
    await Promise.all([this.#looking, this.#listener[Symbol.asyncDispose]()])
    await Promise.all(this.#all.map((each) => each.stop()))
  }

  get #all(): Follower[] {
    return [...this.#followers.values()].flatMap((each) => [...each])
  }

  /** Follows what was committed before the call. */
  async #follow({ kind }: AskedKind): Promise<object> {
    await this.#look()
    if (this.#failure !== undefined) throw this.#failure
    await Promise.all([...(this.#followers.get(kind) ?? [])].map((each) => each.caughtUp()))
    return {}
  }

  async #look(): Promise<number> {
    try {
      const numbers = await this.#numbers()
      for (const [kind, followers] of this.#followers)
        for (const each of followers) each.tell(numbers.get(kind) ?? 0)
      this.#failure = undefined
    } catch (error) {
      this.#failure = error
    }
    return this.#pollMs
  }

  async #numbers(): Promise<ReadonlyMap<string, number>> {
    const rows = await this.#postgres.run(
      sql<{ readonly kind: string; readonly number: number }>`SELECT * FROM changes`,
    )
    return new Map(rows.map(({ kind, number }) => [kind, number]))
  }
}

/** One thing in memory that is read again after a change, one read at a time. */
class Follower {
  readonly #refresh: () => Promise<unknown>
  /** The number of the last change that is known of, and of the last one that is in memory. */
  #told: number | undefined
  #reached: number | undefined
  #failure: unknown
  #running: Promise<void> | undefined
  #isStopped = false

  constructor(refresh: () => Promise<unknown>) {
    this.#refresh = refresh
  }

  /** What the last refresh rejected with. */
  get failure(): unknown {
    return this.#failure
  }

  /** The change with this number was committed. */
  tell(number: number): void {
    this.#told = number
    if (this.#reached !== number) this.#running ??= this.#run()
  }

  /** Resolves when what was told is in memory. Rejects where the refresh does. */
  async caughtUp(): Promise<void> {
    await this.#running
    if (this.#failure !== undefined) throw this.#failure
  }

  /** Resolves when no refresh runs, and none will. */
  async stop(): Promise<void> {
    this.#isStopped = true
    await this.#running
  }

  async #run(): Promise<void> {
    // Not whether the number is smaller: a database that was put back has smaller ones.
    while (this.#reached !== this.#told && !this.#isStopped) {
      const number = this.#told
      try {
        await this.#refresh()
        this.#reached = number
        this.#failure = undefined
      } catch (error) {
        // The next look tells the number again.
        this.#failure = error
        break
      }
    }
    this.#running = undefined
  }
}
