import type { DatabaseSync } from 'node:sqlite'
import type { SecretBox } from '../../../util/secrets/secret-box.ts'
import { PairMap } from '../../../util/pair-map.ts'
import type { LaneId } from '../../deliveries.ts'
import { openedText } from '../database/opened-text.ts'
import type { Writer } from '../writer.ts'
import type { LaneRow } from './write-lanes.ts'

/** Which queue a lane belongs to. */
export type QueueName = 'deliveries' | 'notices'

/**
 * The lanes of deliveries and of notices, and their numbers. Deliveries and attempts name a lane by its number, so that a
 * URL, which may contain a credential, is stored once, and sealed. All in memory: there are a few for each destination.
 */
export class LaneNumbers {
  readonly #writer: Writer
  readonly #box: SecretBox
  readonly #byNumber = new Map<number, LaneId & { readonly queue: QueueName }>()
  readonly #byLane: Readonly<Record<QueueName, PairMap<number>>> = {
    deliveries: new PairMap(),
    notices: new PairMap(),
  }
  /** Lanes that are not known to be on disk, and whether a write of them is under way. */
  readonly #unsaved = new Map<number, { readonly row: LaneRow; isSaving: boolean }>()
  #last = 0

  constructor(writer: Writer, reader: DatabaseSync, box: SecretBox) {
    this.#writer = writer
    this.#box = box
    for (const row of reader.prepare('SELECT * FROM lanes').all()) {
      const destinationId = String(row['destination_id'])
      // Where the row is damaged, it is the lane of no webhook.
      const url = openedText(box, String(row['url']), destinationId) ?? ''
      this.#add(Number(row['number']), row['queue'] as QueueName, { destinationId, url })
    }
  }

  /** The number of a lane that has one. */
  find(queue: QueueName, { destinationId, url }: LaneId): number | undefined {
    return this.#byLane[queue].get(destinationId, url)
  }

  /** The number of a lane. A new lane is written before whatever is written after this call. */
  numberOf(queue: QueueName, lane: LaneId): number {
    const number = this.find(queue, lane) ?? this.#new(queue, lane)
    if (this.#unsaved.size === 0) return number
    const unsaved = this.#unsaved.get(number)
    if (unsaved !== undefined && !unsaved.isSaving) void this.#save(number, unsaved)
    return number
  }

  /** The lane of a number; `undefined` when the database lacks it, because it is damaged. */
  laneOf(number: number): (LaneId & { readonly queue: QueueName }) | undefined {
    return this.#byNumber.get(number)
  }

  #new(queue: QueueName, lane: LaneId): number {
    const number = this.#last + 1
    this.#add(number, queue, lane)
    const { destinationId, url } = lane
    const row: LaneRow = [number, queue, destinationId, this.#box.seal(url, destinationId)]
    this.#unsaved.set(number, { row, isSaving: false })
    return number
  }

  /** A failed write is repeated when the lane is used again. */
  async #save(
    number: number,
    unsaved: { readonly row: LaneRow; isSaving: boolean },
  ): Promise<void> {
    unsaved.isSaving = true
    try {
      await this.#writer.run('addLane', unsaved.row)
      this.#unsaved.delete(number)
    } catch {
      unsaved.isSaving = false
    }
  }

  #add(number: number, queue: QueueName, { destinationId, url }: LaneId): void {
    this.#byNumber.set(number, { queue, destinationId, url })
    this.#byLane[queue].set(destinationId, url, number)
    this.#last = Math.max(this.#last, number)
  }
}
