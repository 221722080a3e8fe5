import { SharedChanges } from '../../../../packages/server/src/backend/embedded/sqlite-store.ts'
import type { SharedChange } from '../../../../packages/server/src/backend/threads.ts'

/** Publishes changes to the threads of a process. */
export class MemoryChanges extends SharedChanges {
  #hasListener = false

  constructor() {
    super(async () => undefined)
  }

  override onChange(listener: (change: SharedChange) => Promise<unknown>): () => void {
    this.#hasListener = true
    return super.onChange(listener)
  }

  /** Calls `isKnown` when all threads have applied the change, synchronously if there are none. */
  async publishAll(change: SharedChange, isKnown: () => void): Promise<void> {
    if (this.#hasListener) await this.publish(change)
    isKnown()
  }
}
