import type { Quarantine, QuarantineItem } from '../../quarantine.ts'
import type { Claims } from '../deliveries/claims.ts'
import { quarantineRowsOf } from './write-quarantine.ts'
import type { Writer } from '../writer.ts'

/** Quarantine of events and deliveries on the table `quarantine`. */
export class SqliteQuarantine implements Quarantine {
  readonly #writer: Writer
  readonly #claims: Claims

  constructor(writer: Writer, claims: Claims) {
    this.#writer = writer
    this.#claims = claims
  }

  async add(items: readonly QuarantineItem[]): Promise<void> {
    await this.#writer.run('quarantineDeliveries', quarantineRowsOf(items))
    this.#claims.end(items.map(({ id }) => id))
  }
}
