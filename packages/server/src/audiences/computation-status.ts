import type { Computation, Destination } from '@hookline/protocol'
import type { FactClause } from '../backend/facts.ts'
import type { Sync } from '../backend/syncs.ts'

/**
 * What an audience or a computed trait is doing:
 * - `preparing`: its first sync, or the one after a change, is not done.
 * - `live`: it is evaluated in real time.
 * - `paused`: as live, but each of its destinations is off, paused or gone, so nobody is told.
 * - `disabled`: it is not evaluated.
 * - `failed`: its last sync failed.
 */
export type ComputationState = 'preparing' | 'live' | 'paused' | 'disabled' | 'failed'

/** What a sync does: counts events of the archive, evaluates profiles, tells users their value. */
interface Progress {
  readonly step: 'filling' | 'evaluating' | 'announcing'
  readonly done: number
  readonly total: number
}

/** What the workers know about an audience or a computed trait. */
export interface ComputationStatus {
  readonly state: ComputationState
  /** Why it is in this state, in one sentence; `null` where the state says enough. */
  readonly reason: string | null
  /** Profiles that have a value: of an audience, its members. */
  readonly size: number
  /** How far it is, in events, profiles or users; `null` if no sync runs. */
  readonly progress: Progress | null
  /** The sync that waits or runs; `null` if there is none. */
  readonly sync: Sync | null
  /** The last sync that ended. */
  readonly lastSync: Sync | null
  /** Since when the events are known that it counts, in milliseconds since the epoch; `null`: it counts none. */
  readonly reachesBackTo: number | null
}

interface Known {
  readonly open: Sync | undefined
  readonly last: Sync | undefined
  readonly size: number
  /** Profiles in its space. */
  readonly profiles: number
  readonly clauses: readonly FactClause[]
  readonly destinations: ReadonlyMap<string, Destination>
}

export function statusOf(computation: Computation, known: Known): ComputationStatus {
  const { open, last, size, clauses } = known
  const reaches = clauses.map(({ reachesBackTo }) => reachesBackTo).filter((at) => at !== null)
  return {
    ...stateOf(computation, known),
    size,
    progress: progressOf(known),
    sync: open ?? null,
    lastSync: last ?? null,
    reachesBackTo: reaches.length === 0 ? null : Math.max(...reaches),
  }
}

function stateOf(
  { enabled, version, destinationIds }: Computation,
  { open, last, clauses, destinations }: Known,
): Pick<ComputationStatus, 'state' | 'reason'> {
  if (open?.reason === 'deleted')
    return {
      state: 'preparing',
      reason: 'It is being deleted: its users are told that the value is gone.',
    }
  if (!enabled) return { state: 'disabled', reason: null }
  if (last?.state === 'failed' && open === undefined) return { state: 'failed', reason: last.error }
  if (last?.version !== version) {
    const isFilling = clauses.some(({ filledThrough, fillThrough }) => filledThrough < fillThrough)
    const reason = isFilling
      ? 'The events in the archive are being counted.'
      : 'The first sync is not done.'
    return { state: 'preparing', reason }
  }
  const isOff = (id: string): boolean => {
    const destination = destinations.get(id)
    return destination === undefined || !destination.enabled || destination.paused !== null
  }
  return destinationIds.length > 0 && destinationIds.every(isOff)
    ? { state: 'paused', reason: 'Each of its destinations is disabled, paused or gone.' }
    : { state: 'live', reason: null }
}

function progressOf({ open, size, profiles, clauses }: Known): Progress | null {
  if (open === undefined) return null
  const filling = clauses.filter(({ filledThrough, fillThrough }) => filledThrough < fillThrough)
  if (filling.length > 0) {
    const done = Math.min(...filling.map(({ filledThrough }) => filledThrough))
    return { step: 'filling', done, total: Math.max(...filling.map((each) => each.fillThrough)) }
  }
  return open.afterProfile === null
    ? { step: 'announcing', done: open.told, total: Math.max(size, open.told) }
    : { step: 'evaluating', done: open.looked, total: Math.max(profiles, open.looked) }
}
