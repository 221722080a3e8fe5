import type { LaneRow } from './write-deliveries.ts'
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { SecretBox } from '../../../util/secrets/secret-box.ts'
import { PairMap } from '../../../util/pair-map.ts'
import { BackendUnavailableError } from '../../backend.ts'
import type { LaneId } from '../../deliveries.ts'
import type { NumberedLanes, QueueLane, QueueName } from '../../store/stored-parts.ts'
import { openedText } from '../database/reseal.ts'
import type { SqliteRow } from '../database/statements.ts'
import type { Destination } from '@hookline/protocol'
import type { Writer } from '../writer.ts'

/**
 * The numbered lanes of both queues. The main thread assigns numbers (`LaneNumbers`); other threads
 * look up unknown lanes again.
 */
export class StoredLanes implements NumberedLanes {
  /** Whether no other thread adds lanes. */
  protected readonly knowsAll: boolean = false
  protected readonly box: SecretBox
  readonly #ofNumber: StatementSync
  readonly #ofDestination: StatementSync
  readonly #byNumber = new Map<number, QueueLane>()
  readonly #byLane: Readonly<Record<QueueName, PairMap<number>>> = {
    deliveries: new PairMap(),
    notices: new PairMap(),
  }

  constructor(reader: DatabaseSync, box: SecretBox) {
    this.box = box
    this.#ofNumber = reader.prepare('SELECT * FROM lanes WHERE number = ?')
    this.#ofDestination = reader.prepare('SELECT * FROM lanes WHERE destination_id = ?')
    this.#keep(reader.prepare('SELECT * FROM lanes').all())
  }

  find(queue: QueueName, lane: LaneId): number | undefined {
    return this.known(queue, lane) ?? this.#lookUp(queue, lane)
  }

  /** The number of a lane. @throws {BackendUnavailableError} if the main thread has not assigned it yet */
  numberOf(queue: QueueName, lane: LaneId): number {
    const number = this.find(queue, lane)
    if (number !== undefined) return number
    throw new BackendUnavailableError(`A lane of ${lane.destinationId} has no number yet.`)
  }

  /** The lane with this number; `undefined` if the database has lost it. */
  laneOf(number: number): QueueLane | undefined {
    const known = this.#byNumber.get(number)
    if (known !== undefined || this.knowsAll) return known
    this.#keep(this.#ofNumber.all(number))
    return this.#byNumber.get(number)
  }

  async load(): Promise<void> {}

  protected known(queue: QueueName, { destinationId, url }: LaneId): number | undefined {
    return this.#byLane[queue].get(destinationId, url)
  }

  protected add(number: number, lane: QueueLane): void {
    this.#byNumber.set(number, lane)
    this.#byLane[lane.queue].set(lane.destinationId, lane.url, number)
  }

  protected get last(): number {
    return this.#byNumber.keys().reduce((a, b) => Math.max(a, b), 0)
  }

  #lookUp(queue: QueueName, lane: LaneId): number | undefined {
    if (this.knowsAll) return undefined
    this.#keep(this.#ofDestination.all(lane.destinationId))
    return this.known(queue, lane)
  }

  #keep(rows: readonly SqliteRow[]): void {
    for (const row of rows) {
      const destinationId = String(row['destination_id'])
      const url = openedText(this.box, String(row['sealed_url']), destinationId) ?? ''
      this.add(Number(row['number']), { queue: row['queue'] as QueueName, destinationId, url })
    }
  }
}

interface UnsavedLane {
  readonly row: LaneRow
  saving: Promise<void> | undefined
}

export class LaneNumbers extends StoredLanes {
  protected override readonly knowsAll = true
  readonly #writer: Writer
  readonly #unsaved = new Map<number, UnsavedLane>()
  #newest: number

  constructor(writer: Writer, reader: DatabaseSync, box: SecretBox) {
    super(reader, box)
    this.#writer = writer
    this.#newest = this.last
  }

  /** The number of a lane. A new lane is written before any later write. */
  override numberOf(queue: QueueName, lane: LaneId): number {
    const number = this.known(queue, lane) ?? this.#new(queue, lane)
    // A failed write is retried when the lane is used again.
    if (this.#unsaved.size > 0) this.#save(number)?.catch(() => undefined)
    return number
  }

  /**
   * Numbers all lanes of the destinations; other threads find them once this resolves.
   * @throws {BackendUnavailableError}
   */
  async saveAll(destinations: Iterable<Destination>): Promise<void> {
    const saving: Promise<void>[] = []
    for (const { id: destinationId, settings } of destinations)
      for (const { url } of settings.webhooks)
        for (const queue of ['deliveries', 'notices'] as const)
          saving.push(this.#save(this.numberOf(queue, { destinationId, url })) ?? Promise.resolve())
    await Promise.all(saving)
  }

  #new(queue: QueueName, { destinationId, url }: LaneId): number {
    const number = ++this.#newest
    this.add(number, { queue, destinationId, url })
    const row: LaneRow = [number, queue, destinationId, this.box.seal(url, destinationId)]
    this.#unsaved.set(number, { row, saving: undefined })
    return number
  }

  #save(number: number): Promise<void> | undefined {
    const unsaved = this.#unsaved.get(number)
    if (unsaved === undefined) return undefined
    unsaved.saving ??= this.#writer
      .run('addLane', unsaved.row)
      .then(() => void this.#unsaved.delete(number))
      .finally(() => (unsaved.saving = undefined))
    return unsaved.saving
  }
}
