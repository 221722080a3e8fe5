import type { DeliveryQueue } from '../../deliveries.ts'
import type { Quarantine, QuarantineItem } from '../../quarantine.ts'
import type { StoredParts } from '../../store/stored-parts.ts'
import type { Writer } from '../writer.ts'
import { quarantineRowsOf } from './write-quarantine.ts'

/** Quarantine of events and deliveries on the table `quarantine`. */
export class SqliteQuarantine implements Quarantine {
  readonly #writer: Writer
  readonly #deliveries: Pick<DeliveryQueue, 'release'>
  readonly #parts: StoredParts

  constructor(writer: Writer, deliveries: Pick<DeliveryQueue, 'release'>, parts: StoredParts) {
    this.#writer = writer
    this.#deliveries = deliveries
    this.#parts = parts
  }

  async add(items: readonly QuarantineItem[]): Promise<void> {
    await this.#writer.run('quarantineDeliveries', quarantineRowsOf(items, this.#parts))
    await this.#deliveries.release(items.map(({ id }) => id))
  }
}
