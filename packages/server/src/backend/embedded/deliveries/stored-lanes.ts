import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { SecretBox } from '../../../util/secrets/secret-box.ts'
import { PairMap } from '../../../util/pair-map.ts'
import { BackendUnavailable } from '../../backend.ts'
import type { LaneId } from '../../deliveries.ts'
import type { NumberedLanes, QueueLane, QueueName } from '../../store/stored-parts.ts'
import { openedText } from '../database/opened-text.ts'
import type { Row } from '../database/rows.ts'

/**
 * The lanes of deliveries and of notices, and their numbers. Deliveries and attempts name a lane by its number, so that a
 * URL, which may contain a credential, is stored once, and sealed. All in memory: there are a few for each destination.
 *
 * The main thread gives the numbers (`lane-numbers.ts`). In other threads, a lane that is not known is looked up again.
 */
export class StoredLanes implements NumberedLanes {
  readonly #box: SecretBox
  readonly #ofNumber: StatementSync
  readonly #ofDestination: StatementSync
  readonly #byNumber = new Map<number, QueueLane>()
  readonly #byLane: Readonly<Record<QueueName, PairMap<number>>> = {
    deliveries: new PairMap(),
    notices: new PairMap(),
  }

  constructor(reader: DatabaseSync, box: SecretBox) {
    this.#box = box
    this.#ofNumber = reader.prepare('SELECT * FROM lanes WHERE number = ?')
    this.#ofDestination = reader.prepare('SELECT * FROM lanes WHERE destination_id = ?')
    this.#keep(reader.prepare('SELECT * FROM lanes').all())
  }

  /** The number of a lane that has one. */
  find(queue: QueueName, lane: LaneId): number | undefined {
    return this.known(queue, lane) ?? this.#lookUp(queue, lane)
  }

  /**
   * The number of a lane.
   * @throws {BackendUnavailable} where the main thread has not given it yet
   */
  numberOf(queue: QueueName, lane: LaneId): number {
    const number = this.find(queue, lane)
    if (number !== undefined) return number
    throw new BackendUnavailable(`No lane has a number yet of ${lane.destinationId}.`)
  }

  /** The lane of a number; `undefined` when the database lacks it, because it is damaged. */
  laneOf(number: number): QueueLane | undefined {
    const known = this.#byNumber.get(number)
    if (known !== undefined || this.knowsAll) return known
    this.#keep(this.#ofNumber.all(number))
    return this.#byNumber.get(number)
  }

  /** All lanes are in memory. */
  async know(): Promise<void> {}

  /** Whether no other thread makes lanes. */
  protected get knowsAll(): boolean {
    return false
  }

  protected known(queue: QueueName, { destinationId, url }: LaneId): number | undefined {
    return this.#byLane[queue].get(destinationId, url)
  }

  protected add(number: number, lane: QueueLane): void {
    this.#byNumber.set(number, lane)
    this.#byLane[lane.queue].set(lane.destinationId, lane.url, number)
  }

  protected get last(): number {
    return this.#byNumber.keys().reduce((most, number) => Math.max(most, number), 0)
  }

  #lookUp(queue: QueueName, lane: LaneId): number | undefined {
    if (this.knowsAll) return undefined
    this.#keep(this.#ofDestination.all(lane.destinationId))
    return this.known(queue, lane)
  }

  #keep(rows: readonly Row[]): void {
    for (const row of rows) {
      const destinationId = String(row['destination_id'])
      // Where the row is damaged, it is the lane of no webhook.
      const url = openedText(this.#box, String(row['sealed_url']), destinationId) ?? ''
      this.add(Number(row['number']), { queue: row['queue'] as QueueName, destinationId, url })
    }
  }
}

/** A row of `lanes`. */
export type LaneRow = readonly [
  number: number,
  queue: string,
  destinationId: string,
  sealedUrl: string,
]

/** Keeps a lane. Safe to call twice. */
export function addLane(db: DatabaseSync): (row: LaneRow) => void {
  const insert = db.prepare('INSERT OR IGNORE INTO lanes VALUES (?, ?, ?, ?)')
  return (row) => void insert.run(...row)
}
