import type { DeliveryContent } from '@hookline/protocol'
import type { DurableState } from './durable-state.ts'

/** The purges that a process or thread has in memory. They are lost when it is killed. */
export class AppliedPurges {
  readonly #state: DurableState
  /** By user: the seq of the last purged event. */
  readonly #through = new Map<string, number>()

  constructor(state: DurableState) {
    this.#state = state
  }

  get all(): ReadonlyMap<string, number> {
    return this.#through
  }

  add(userId: string, through: number): void {
    this.#through.set(userId, Math.max(through, this.#through.get(userId) ?? 0))
  }

  addAll(purges: ReadonlyMap<string, number>): void {
    for (const [userId, through] of purges) this.add(userId, through)
  }

  has(content: DeliveryContent): boolean {
    return this.#state.isCovered(this.#through, content)
  }
}
