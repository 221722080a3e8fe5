import type { Quarantine, SetAside } from '../../quarantine.ts'
import type { Claims } from '../deliveries/claims.ts'
import { setAsideRowsOf } from './write-quarantine.ts'
import type { Writer } from '../writer.ts'

/** Quarantine on the table of that name. */
export class SqliteQuarantine implements Quarantine {
  readonly #writer: Writer
  readonly #claims: Claims

  constructor(writer: Writer, claims: Claims) {
    this.#writer = writer
    this.#claims = claims
  }

  async add(items: readonly SetAside[]): Promise<void> {
    await this.#writer.run('setAside', setAsideRowsOf(items))
    this.#claims.end(items.map(({ id }) => id))
  }
}
