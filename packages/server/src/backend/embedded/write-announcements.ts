import type { AcceptedEvent } from '@hookline/protocol'
import type { DatabaseSync } from 'node:sqlite'
import type { Evaluated } from '../evaluations.ts'
import { storeEvaluations } from '../store/profiles/evaluations.ts'
import { lockProfiles } from '../store/profiles/lock-profiles.ts'
import type { Tx } from '../store/store.ts'
import { blockOf, type EventBlock } from './log/event-block.ts'
import type { Appended, EventAppender } from './log/write-log.ts'

interface Appending {
  readonly tx: Tx
  readonly append: EventAppender
}

/** Stores evaluations, and appends the events of their announcements. Resolves to the places of those that it has stored. */
export function commitEvaluations(_db: DatabaseSync, { tx, append }: Appending) {
  return async (
    evaluated: readonly Evaluated[],
  ): Promise<{ readonly places: readonly number[]; readonly appended: Appended }> => {
    const places = await storeEvaluations(tx, evaluated)
    const events = eventsOf(places.map((place) => evaluated[place]!))
    return { places, appended: append(blockOf(events)) }
  }
}

/** Appends events, unless a user was purged since they were made. */
export function appendTold(_db: DatabaseSync, { tx, append }: Appending) {
  return async (told: {
    readonly block: EventBlock
    readonly purges: number
  }): Promise<Appended | undefined> => {
    const { purges } = await lockProfiles(tx)
    return purges === told.purges ? append(told.block) : undefined
  }
}

/** The events of the announcements of evaluations. */
export function eventsOf(stored: readonly Evaluated[]): AcceptedEvent[] {
  return stored.flatMap(({ announcements }) => announcements.map(({ event }) => event))
}
