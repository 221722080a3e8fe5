import type { Destination } from '@hookline/protocol'
import type { DurableState } from '../backend/durable-state.ts'

/**
 * The destinations that an attempt may use: each in its current version and, until all threads have applied a change, in its
 * previous version. The call that makes the change resolves only then.
 */
export class DestinationsInForce {
  readonly #state: DurableState
  readonly #before = new Map<string, Set<{ readonly destination: Destination | undefined }>>()

  constructor(state: DurableState) {
    this.#state = state
  }

  /** Called when a destination changes. Returns a function to call when all threads have applied the change. */
  changes(id: string, destination: Destination | undefined): () => void {
    const before = { destination }
    const all = this.#before.get(id) ?? new Set()
    this.#before.set(id, all.add(before))
    return () => void all.delete(before)
  }

  /** `undefined` if it was removed or is new. */
  of(id: string): readonly (Destination | undefined)[] {
    const before = [...(this.#before.get(id) ?? [])].map(({ destination }) => destination)
    return [this.#state.destinations.get(id), ...before]
  }

  /** Called when the process has exited. The next one has the current destinations. */
  reset(): void {
    this.#before.clear()
  }
}
