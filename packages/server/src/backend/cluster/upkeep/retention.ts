import type { Removal, RemovalSlice } from '../../upkeep.ts'
import { lock } from '../postgres/locks.ts'
import type { Postgres } from '../postgres/postgres.ts'
import { type DropResult, dropDay } from './drop-day.ts'
import { hasDay } from './has-day.ts'
import { isLockTimeout } from './lock-waits.ts'
import type { ReadLogState } from './log-state.ts'
import type { Partitions } from './partitions.ts'
import { planRemoval, type RemovalPlan } from './plan-removal.ts'
import { readReach } from './reach.ts'
import { removeRows } from './remove-rows.ts'
import type { Tallies } from './tallies.ts'

export interface RetentionOptions {
  readonly postgres: Postgres
  readonly partitions: Partitions
  readonly tallies: Tallies
  readonly log: ReadLogState
}

/** Without a time, a day is dropped as a whole where it is no more than this share of the data: the rest of it stays. */
const SMALL_SHARE = 1 / 8

/** Removes the oldest events, by day or one by one. Slices of several nodes take turns. */
export class Retention {
  readonly #options: RetentionOptions

  constructor(options: RetentionOptions) {
    this.#options = options
  }

  async removeOldest({ before, cursor = '' }: RemovalSlice): Promise<Removal> {
    const days = await this.#options.partitions.read()
    const plan = planRemoval({ before, after: cursor }, days)
    if (plan.kind === 'end') return { removed: 0, cursor: null }
    if (plan.kind === 'day' && (await this.#isToBeDropped(plan.day, before))) {
      const dropped = await this.#drop(plan.day)
      if (dropped === undefined || dropped.kind === 'not reached')
        return { removed: 0, cursor: null }
      if (dropped.kind === 'dropped')
        return { removed: dropped.removed, cursor: plan.isLast ? null : plan.end }
    }
    return this.#rows(plan, before, cursor)
  }

  async #isToBeDropped(day: number, before: number | undefined): Promise<boolean> {
    if (before !== undefined) return true
    const { bytes, ofDay } = await this.#options.tallies.bytesOfDay(day)
    return ofDay <= bytes * SMALL_SHARE
  }

  /** `undefined` where a table was in use for too long. */
  async #drop(day: number): Promise<DropResult | undefined> {
    const { postgres, log } = this.#options
    const reach = await postgres.read((db) => readReach(db, log))
    try {
      return await postgres.write(async (transaction) => {
        await lock(transaction, 'upkeep')
        // Another node may have dropped it meanwhile.
        if (!(await hasDay(transaction, day))) return { kind: 'dropped', removed: 0 } as const
        return dropDay(transaction, day, reach)
      })
    } catch (error) {
      if (isLockTimeout(error)) return undefined
      throw error
    }
  }

  async #rows(
    { end, isLast }: Exclude<RemovalPlan, { kind: 'end' }>,
    before: number | undefined,
    after: string,
  ): Promise<Removal> {
    const { postgres, log } = this.#options
    const reach = await postgres.read((db) => readReach(db, log))
    const { removed, cursor } = await postgres.write(async (transaction) => {
      await lock(transaction, 'upkeep')
      return removeRows(transaction, { before, after, end, reach })
    })
    return { removed, cursor: cursor ?? (isLast ? null : end) }
  }
}
