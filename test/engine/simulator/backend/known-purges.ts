import type { Carried } from '@hookline/protocol'
import type { BegunPurge } from '../../../../packages/server/src/backend/threads.ts'
import type { DurableState } from './durable-state.ts'

/** The purges that a process, or a thread of it, knows of. They are lost when it is killed. */
export class KnownPurges {
  readonly #state: DurableState
  /** By user: the seq of the last event that is purged. */
  readonly #through = new Map<string, number>()

  constructor(state: DurableState) {
    this.#state = state
  }

  get all(): readonly BegunPurge[] {
    return [...this.#through].map(([userId, through]) => begunPurge(userId, through))
  }

  add({ userIds, through }: Pick<BegunPurge, 'userIds' | 'through'>): void {
    for (const id of userIds) this.#through.set(id, Math.max(through, this.#through.get(id) ?? 0))
  }

  has(carried: Carried): boolean {
    return this.#state.isCovered(this.#through, carried)
  }
}

export function begunPurge(userId: string, through: number): BegunPurge {
  return { deletionId: `del_${userId}`, userIds: [userId], sourceIds: null, through }
}
