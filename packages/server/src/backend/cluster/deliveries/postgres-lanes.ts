import { sql } from 'kysely'
import { createHmac } from 'node:crypto'
import { PairMap } from '../../../util/pair-map.ts'
import { type SecretBox, SecretBoxError } from '../../../util/secrets/secret-box.ts'
import { type LaneId, laneKey, type RecordedDelivery } from '../../deliveries.ts'
import type { NumberedLanes, QueueLane, QueueName } from '../../store/stored-parts.ts'
import { lock } from '../postgres/locks.ts'
import type { Postgres } from '../postgres/postgres.ts'

interface LaneRow {
  readonly number: number
  readonly queue: QueueName
  readonly destination_id: string
  readonly sealed_url: string
}

/** The numbered lanes of both queues. Lanes are never changed or removed, so this node caches them. */
export class PostgresLanes implements NumberedLanes {
  readonly #postgres: Postgres
  readonly #box: SecretBox
  readonly #byNumber = new Map<number, QueueLane>()
  readonly #byLane: Readonly<Record<QueueName, PairMap<number>>> = {
    deliveries: new PairMap(),
    notices: new PairMap(),
  }

  constructor(postgres: Postgres, box: SecretBox) {
    this.#postgres = postgres
    this.#box = box
  }

  /** The number of a lane; `undefined` if it has none. */
  async find(queue: QueueName, lane: LaneId): Promise<number | undefined> {
    const known = this.numberOf(queue, lane)
    if (known !== undefined) return known
    await this.#read(isLane(queue, lane, this.#keysOf(lane)))
    return this.numberOf(queue, lane)
  }

  /** Adds the lanes that have no number. Afterwards, `numberOf` returns the number of each. */
  async addMissing(queue: QueueName, records: readonly RecordedDelivery[]): Promise<void> {
    const unknown = new Map<string, LaneId>()
    for (const { delivery, attempts } of records)
      for (const { url } of [...delivery.webhooks, ...attempts]) {
        const lane = { destinationId: delivery.destinationId, url }
        if (this.numberOf(queue, lane) === undefined) unknown.set(laneKey(lane), lane)
      }
    for (const lane of unknown.values())
      if ((await this.find(queue, lane)) === undefined) await this.#add(queue, lane)
  }

  numberOf(queue: QueueName, { destinationId, url }: LaneId): number | undefined {
    return this.#byLane[queue].get(destinationId, url)
  }

  /** Caches the lanes with these numbers for `laneOf`. */
  async load(numbers: Iterable<number>): Promise<void> {
    const unknown = [...new Set(numbers)].filter((number) => !this.#byNumber.has(number))
    if (unknown.length > 0) await this.#read(sql`number = ANY(${unknown}::int[])`)
  }

  /** The lane with this number; `undefined` if it is not in the database. */
  laneOf(number: number): QueueLane | undefined {
    return this.#byNumber.get(number)
  }

  /**
   * One node at a time adds lanes, so no lane gets two numbers, even while the order of keys
   * differs between nodes.
   */
  async #add(queue: QueueName, lane: LaneId): Promise<void> {
    const { destinationId, url } = lane
    const keys = this.#keysOf(lane)
    const row = [queue, destinationId, keys[0]!, this.#box.seal(url, destinationId)]
    await this.#postgres.write(async (transaction) => {
      await lock(transaction, 'lanes')
      await sql`
        INSERT INTO lanes (queue, destination_id, key, sealed_url) SELECT ${sql.join(row)}
        WHERE NOT EXISTS (SELECT 1 FROM lanes WHERE ${isLane(queue, lane, keys)})`.execute(
        transaction,
      )
    })
    await this.find(queue, lane)
  }

  /** A hash for each key in the box. New lanes use the first one. */
  #keysOf(lane: LaneId): readonly string[] {
    return this.#box.keys.map((key) => laneHash(lane, key))
  }

  async #read(condition: ReturnType<typeof sql>): Promise<void> {
    const rows = await this.#postgres.run(sql<LaneRow>`
      SELECT number, queue, destination_id, sealed_url FROM lanes WHERE ${condition}`)
    for (const { number, queue, destination_id: destinationId, sealed_url: sealed } of rows) {
      const url = this.#opened(sealed, destinationId)
      this.#byNumber.set(number, { queue, destinationId, url })
      this.#byLane[queue].set(destinationId, url, number)
    }
  }

  /** The URL; if its key is not in the box, '', which no webhook has. */
  #opened(sealed: string, destinationId: string): string {
    try {
      return this.#box.open(sealed, destinationId)
    } catch (error) {
      if (error instanceof SecretBoxError) return ''
      throw error
    }
  }
}

function isLane(queue: QueueName, { destinationId }: LaneId, keys: readonly string[]) {
  return sql`queue = ${queue} AND destination_id = ${destinationId} AND key = ANY(${keys}::text[])`
}

/** Identifies a lane in the database without revealing its URL. */
export function laneHash(lane: LaneId, key: Buffer): string {
  return createHmac('sha256', key)
    .update(`lane ${laneKey(lane)}`)
    .digest('base64url')
}
