import { sql } from 'kysely'
import type { Subject } from '../../deletions.ts'
import type { Postgres } from '../postgres/postgres.ts'
import { fromText } from '../postgres/text.ts'
import { FORGET_AFTER_MS, type PurgedUsers } from './purged-users.ts'

/** Rows that are read together. */
const ROWS = 5_000

interface Row {
  readonly number: number
  readonly kind: Subject['kind']
  readonly id: string
  readonly source_id: string
  readonly through: number
}

/** Tells `PurgedUsers` what any node has added to `purged_ids`, by the numbers of the rows. */
export class PurgedIds {
  readonly #postgres: Postgres
  readonly #users: PurgedUsers
  #reached: number | undefined
  #looking: Promise<void> = Promise.resolve()

  constructor(postgres: Postgres, users: PurgedUsers) {
    this.#postgres = postgres
    this.#users = users
  }

  /** Reads what was committed before the call. One look at a time. */
  refresh(): Promise<void> {
    const look = this.#looking.then(() => this.#look())
    this.#looking = look.catch(() => undefined)
    return look
  }

  async #look(): Promise<void> {
    this.#users.forgetOld()
    this.#reached ??= await this.#beginning()
    for (let count = ROWS; count === ROWS;) {
      const rows: readonly Row[] = await this.#postgres.run(sql<Row>`
        SELECT number, kind, id, source_id, through FROM purged_ids
        WHERE number > ${this.#reached} ORDER BY number LIMIT ${ROWS}`)
      this.#users.add(
        rows.map(({ kind, id, source_id: sourceId, through }) => ({
          kind,
          id: fromText(id),
          sourceId: fromText(sourceId),
          through,
        })),
      )
      count = rows.length
      this.#reached = rows.at(-1)?.number ?? this.#reached
    }
  }

  /** The number before that of the first row that is recent. OFFSET lets PostgreSQL find them by time. */
  async #beginning(): Promise<number> {
    const [row] = await this.#postgres.run(sql<{ readonly number: number }>`
      SELECT coalesce((SELECT min(number) - 1 FROM (SELECT number FROM purged_ids
          WHERE added_at > now() - make_interval(secs => ${FORGET_AFTER_MS / 1000}) OFFSET 0) AS recent),
        (SELECT max(number) FROM purged_ids), 0) AS number`)
    return row!.number
  }
}
