import type { AcceptedEvent } from '@hookline/protocol'
import type { Purge } from '../backend/deletions.ts'
import type { RecordedDelivery } from '../backend/deliveries.ts'
import type { Witness, WitnessedDecision } from './witness.ts'

/** Several witnesses as one. */
export class Witnesses implements Witness {
  readonly #witnesses: readonly Witness[]

  constructor(witnesses: readonly Witness[]) {
    this.#witnesses = witnesses
  }

  received(events: readonly AcceptedEvent[]): void {
    for (const witness of this.#witnesses) witness.received(events)
  }

  decided(decision: WitnessedDecision): void {
    for (const witness of this.#witnesses) witness.decided(decision)
  }

  recorded(record: RecordedDelivery): void {
    for (const witness of this.#witnesses) witness.recorded(record)
  }

  purged(purge: Purge): void {
    for (const witness of this.#witnesses) witness.purged(purge)
  }
}
