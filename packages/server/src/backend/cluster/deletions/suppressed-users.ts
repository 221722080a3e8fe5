import { sql } from 'kysely'
import type { Subject } from '../../deletions.ts'
import type { Postgres } from '../postgres/postgres.ts'
import { fromText } from '../postgres/text.ts'

/** The `source_id` of a suppression, or of a purge, in every source. */
export const EVERY_SOURCE = ''
/** Rows that are read together. */
const ROWS = 5_000
/** For how long the table keeps what has ended. */
export const ENDED_KEPT_HOURS = 24
/** A replica that has not followed for so long may have missed an end, and reads everything again. */
const STALE_MS = (ENDED_KEPT_HOURS / 2) * 60 * 60 * 1000

interface Change {
  readonly seq: number
  readonly kind: Subject['kind']
  readonly user_id: string
  /** `null`: every suppression of the user has ended. */
  readonly source_id: string | null
}

/** The sources by kind and id. */
type Sources = Readonly<Record<Subject['kind'], Map<string, Set<string>>>>

/**
 * The suppressed users in memory, because each call asks for its user: about 200 bytes each. It follows the tables by the
 * numbers of their rows, so a look costs what has changed since the one before.
 */
export class SuppressedUsers {
  readonly #postgres: Postgres
  readonly #nowMs: () => number
  #sources: Sources = none()
  #reached = 0
  #lookedAtMs = -Infinity
  #looking: Promise<void> = Promise.resolve()

  /** @param nowMs milliseconds of a clock that nobody can set */
  constructor(postgres: Postgres, nowMs: () => number = () => performance.now()) {
    this.#postgres = postgres
    this.#nowMs = nowMs
  }

  has(sourceId: string, kind: Subject['kind'], id: string): boolean {
    const sources = this.#sources[kind].get(id)
    return sources !== undefined && (sources.has(EVERY_SOURCE) || sources.has(sourceId))
  }

  /** Applies every change that was committed before the call. One look at a time. */
  refresh(): Promise<void> {
    const look = this.#looking.then(() => this.#look())
    this.#looking = look.catch(() => undefined)
    return look
  }

  async #look(): Promise<void> {
    const beganMs = this.#nowMs()
    const isStale = beganMs - this.#lookedAtMs > STALE_MS
    const sources = isStale ? none() : this.#sources
    let reached = isStale ? 0 : this.#reached
    for (let rows = ROWS; rows === ROWS;) {
      const changes = await this.#changesAfter(reached)
      for (const change of changes) apply(sources, change)
      rows = changes.length
      reached = changes.at(-1)?.seq ?? reached
    }
    this.#sources = sources
    this.#reached = reached
    this.#lookedAtMs = beganMs
  }

  /** Both tables at one moment: a number that comes later is greater. */
  #changesAfter(seq: number): Promise<Change[]> {
    const page = sql`WHERE seq > ${seq} ORDER BY seq LIMIT ${ROWS}`
    return this.#postgres.run(sql<Change>`
      (SELECT seq, kind, user_id, source_id FROM suppressions ${page})
      UNION ALL (SELECT seq, kind, user_id, NULL FROM ended_suppressions ${page})
      ORDER BY seq LIMIT ${ROWS}`)
  }
}

function none(): Sources {
  return { user: new Map(), anonymous: new Map() }
}

function apply(all: Sources, { kind, user_id: stored, source_id: sourceId }: Change): void {
  const id = fromText(stored)
  if (sourceId === null) return void all[kind].delete(id)
  const sources = all[kind].get(id) ?? new Set()
  all[kind].set(id, sources.add(fromText(sourceId)))
}
