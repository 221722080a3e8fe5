import { SharedChanges } from '../../../../packages/server/src/backend/embedded/sqlite-store.ts'
import type { SharedChange } from '../../../../packages/server/src/backend/threads.ts'

/** Tells the threads of a process of changes. */
export class MemoryChanges extends SharedChanges {
  #isHeard = false

  constructor() {
    super(async () => undefined)
  }

  override onChange(listener: (change: SharedChange) => Promise<unknown>): () => void {
    this.#isHeard = true
    return super.onChange(listener)
  }

  /** Calls `isKnown` when all threads know of the change: at once, in this step, where there are none. */
  async tellAll(change: SharedChange, isKnown: () => void): Promise<void> {
    if (this.#isHeard) await this.tell(change)
    isKnown()
  }
}
