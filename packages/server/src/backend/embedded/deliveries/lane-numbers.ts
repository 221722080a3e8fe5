import type { Destination } from '@hookline/protocol'
import type { DatabaseSync } from 'node:sqlite'
import type { SecretBox } from '../../../util/secrets/secret-box.ts'
import type { LaneId } from '../../deliveries.ts'
import type { Writer } from '../writer.ts'
import type { QueueName } from '../../store/stored-parts.ts'
import { type LaneRow, StoredLanes } from './stored-lanes.ts'

/** A lane that is not known to be on disk; `saving`: a write of it is under way. */
interface Unsaved {
  readonly row: LaneRow
  saving: Promise<void> | undefined
}

/** The lanes in the main thread, which gives them their numbers. */
export class LaneNumbers extends StoredLanes {
  readonly #writer: Writer
  readonly #sealed: SecretBox
  readonly #unsaved = new Map<number, Unsaved>()
  #newest: number

  constructor(writer: Writer, reader: DatabaseSync, box: SecretBox) {
    super(reader, box)
    this.#writer = writer
    this.#sealed = box
    this.#newest = this.last
  }

  protected override get knowsAll(): boolean {
    return true
  }

  /** The number of a lane. A new lane is written before whatever is written after this call. */
  override numberOf(queue: QueueName, lane: LaneId): number {
    const number = this.known(queue, lane) ?? this.#new(queue, lane)
    // A failed write is repeated when the lane is used again.
    if (this.#unsaved.size > 0) this.#save(number)?.catch(() => undefined)
    return number
  }

  /**
   * Gives numbers to all lanes of these destinations. When it resolves, other threads find them.
   * @throws {BackendUnavailable}
   */
  async saveAll(destinations: Iterable<Destination>): Promise<void> {
    const saving: Promise<void>[] = []
    for (const { id: destinationId, settings } of destinations)
      for (const { url } of settings.webhooks)
        for (const queue of ['deliveries', 'notices'] as const)
          saving.push(this.#saved(this.numberOf(queue, { destinationId, url })))
    await Promise.all(saving)
  }

  async #saved(number: number): Promise<void> {
    await this.#save(number)
  }

  #new(queue: QueueName, { destinationId, url }: LaneId): number {
    const number = ++this.#newest
    this.add(number, { queue, destinationId, url })
    const row: LaneRow = [number, queue, destinationId, this.#sealed.seal(url, destinationId)]
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
