import { sql, type Transaction } from 'kysely'
import type { Subject } from '../../deletions.ts'
import { FORGET_SEARCH_TEXTS } from '../../store/replays.ts'
import type { Postgres } from '../postgres/postgres.ts'
import { removeIdentities, removeUsers } from '../../store/profiles/remove-identities.ts'
import { PostgresTx } from '../postgres/postgres-store.ts'
import {
  firstPlace,
  groupOf,
  isGroupBeginning,
  isGroupEnd,
  type PurgePlace,
} from './purge-place.ts'
import { type BegunPurge, type PlacedPurge, purgeStep, STEP_EVENTS } from './purge-step.ts'
import { purgedIdsOf } from './purged-users.ts'
import { refusePurged } from './refuse-purged.ts'

export interface PurgeSlicesOptions {
  readonly postgres: Postgres
  /** Tells every node that ids were added to `purged_ids`. */
  readonly tell: (transaction: Transaction<unknown>) => Promise<unknown>
}

/** How long the steps of one slice may take together. */
const SLICE_MS = 20

/**
 * Removes what was appended of users, slice by slice and group by group:
 *
 *     the archive refuses their events ─▶ their profiles ─▶ events, step by step ─▶ once more their profiles
 *
 * The profiles go before the first event, so that nothing is computed of them any more, and once more after the last: events
 * that were not applied yet may have made a profile meanwhile. Each step is a transaction, and none of them is long.
 */
export class PurgeSlices {
  readonly #options: PurgeSlicesOptions

  constructor(options: PurgeSlicesOptions) {
    this.#options = options
  }

  /** Removes a slice. Resolves to the cursor of the next one; `null` after the last. */
  async purge(purge: BegunPurge): Promise<string | null> {
    const deadline = performance.now() + SLICE_MS
    let place = placeOf(purge)
    // At least one step, however long the machine has kept the process waiting.
    for (let looked = 0; place !== null;) {
      const step = await this.#step({ purge, place })
      place = step.next
      looked += step.looked
      if (looked >= STEP_EVENTS || performance.now() >= deadline) break
    }
    return place === null ? null : JSON.stringify(place)
  }

  async #step(placed: PlacedPurge): ReturnType<typeof purgeStep> {
    if (isGroupBeginning(placed.place)) {
      await this.#refuse(placed)
      await this.#removeProfiles(placed)
    }
    const step = await this.#options.postgres.write((transaction) => purgeStep(transaction, placed))
    if (isGroupEnd(placed.place, step.next)) await this.#removeProfiles(placed)
    return step
  }

  /** Every archive waits for this transaction. */
  #refuse({ purge, place }: PlacedPurge): Promise<void> {
    const { postgres, tell } = this.#options
    const ids = purgedIdsOf(subjectsOf(place, purge), purge)
    return postgres.write(async (transaction) => {
      if (place.from === 0) await sql.raw(FORGET_SEARCH_TEXTS).execute(transaction)
      await refusePurged(transaction, purge.deletionId, ids)
      await tell(transaction)
    })
  }

  #removeProfiles({ purge, place }: PlacedPurge): Promise<void> {
    const subjects = subjectsOf(place, purge)
    const ids = groupOf(place, purge)
    const { sourceIds, at = 0 } = purge
    return this.#options.postgres.write((transaction) => {
      const tx = new PostgresTx(transaction)
      return place.kind === 'user'
        ? removeUsers(tx, { userIds: ids, sourceIds, at })
        : removeIdentities(tx, { ids: subjects, sourceIds, at })
    })
  }
}

function subjectsOf(place: PurgePlace, purge: BegunPurge): Subject[] {
  return groupOf(place, purge).map((id) => ({ kind: place.kind, id }))
}

function placeOf(purge: BegunPurge): PurgePlace | null {
  return purge.cursor === undefined ? firstPlace(purge) : (JSON.parse(purge.cursor) as PurgePlace)
}
