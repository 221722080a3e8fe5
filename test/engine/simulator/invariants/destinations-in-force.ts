import type { Destination } from '@hookline/protocol'
import type { DurableState } from '../backend/durable-state.ts'

/**
 * The destinations that an attempt may follow: each as it is now and, until all threads have applied a change of it, as it
 * was before. Only then does the call resolve that makes the change.
 */
export class DestinationsInForce {
  readonly #state: DurableState
  readonly #before = new Map<string, Set<{ readonly destination: Destination | undefined }>>()

  constructor(state: DurableState) {
    this.#state = state
  }

  /** A destination changes. Returns the function that is called when the change is known everywhere. */
  changes(id: string, destination: Destination | undefined): () => void {
    const before = { destination }
    const all = this.#before.get(id) ?? new Set()
    this.#before.set(id, all.add(before))
    return () => void all.delete(before)
  }

  /** `undefined`: it was removed, or is new. */
  of(id: string): readonly (Destination | undefined)[] {
    const before = [...(this.#before.get(id) ?? [])].map(({ destination }) => destination)
    return [this.#state.destinations.get(id), ...before]
  }

  /** The process has ended: the next one knows the destinations as they are. */
  reset(): void {
    this.#before.clear()
  }
}
