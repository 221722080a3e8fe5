import type { ChangeActivity } from '../../telemetry/activity-listener.ts'

/** How many profiles got a value or another one, and how many lost it. */
export interface ChangedProfiles {
  readonly entered: number
  readonly left: number
}

const NONE: ChangedProfiles = { entered: 0, left: 0 }

/**
 * Counts what each version of a computation has changed, until a sync takes it. When stored events are counted for a new
 * definition, their profiles become dirty, and evaluation in real time is often faster than the sync: these changes come
 * from the definition all the same. The counts are in memory: a restart loses those that no sync has taken.
 */
export class ChangeTally {
  readonly #counts = new Map<string, { readonly version: number } & ChangedProfiles>()

  add(version: number, { computationId, entered, left }: ChangeActivity): void {
    const before = this.#counts.get(computationId)
    // It was evaluated with plans that have been replaced meanwhile.
    if (before !== undefined && before.version > version) return
    const sum = before?.version === version ? before : NONE
    const counts = { version, entered: sum.entered + entered, left: sum.left + left }
    this.#counts.set(computationId, counts)
  }

  /** What this version has changed since the last call. */
  take(computationId: string, version: number): ChangedProfiles {
    const counts = this.#counts.get(computationId)
    if (counts?.version !== version) return NONE
    this.#counts.delete(computationId)
    return counts
  }
}
