import { type Computation, newId } from '@hookline/protocol'
import type { Backend } from '../../backend/backend.ts'
import type { Sync, SyncReason } from '../../backend/syncs.ts'
import type { Clock } from '../../util/time/clock.ts'
import { SharedRefresh } from '../../util/workers/shared-refresh.ts'

/** Interval of the syncs that check for missed changes. */
export const DAILY_MS = 24 * 60 * 60 * 1000

type NeededSyncsOptions = Pick<Backend, 'catalog' | 'syncs'> & { readonly clock: Clock }

interface SyncHistory {
  readonly open: Sync | undefined
  readonly last: Sync | undefined
  readonly now: number
}

/** Records needed syncs. A version is planned only after its sync is recorded, so no destination misses a change. */
export class NeededSyncs {
  readonly #options: NeededSyncsOptions
  /** Serialised: concurrent calls would record a sync twice. */
  readonly #puts = new SharedRefresh(() => this.#put())

  constructor(options: NeededSyncsOptions) {
    this.#options = options
  }

  put(): Promise<void> {
    return this.#puts.run()
  }

  async #put(): Promise<void> {
    const { catalog, syncs, clock } = this.#options
    const open = new Map((await syncs.open()).map((sync) => [sync.computationId, sync]))
    const ended = await syncs.last()
    for (const computation of catalog.current.computations.values()) {
      const { id } = computation
      const last = ended.get(id)
      // The process exited before removing it.
      if (last?.reason === 'deleted' && last.state === 'done') await catalog.removeComputation(id)
      const sync = neededSync(computation, { open: open.get(id), last, now: clock.wall() })
      if (sync !== undefined) await syncs.put(sync)
    }
  }
}

/** A sync for a new version, or the daily one, if needed. Found by comparison, so no crash loses one. */
function neededSync(computation: Computation, { open, last, now }: SyncHistory): Sync | undefined {
  if (open?.reason === 'deleted' || !computation.enabled) return undefined
  const isOld = open === undefined && Math.abs(now - (last?.createdAt ?? now)) >= DAILY_MS
  const isNew = (open ?? last)?.version !== computation.version
  return isNew || isOld ? newSync(computation, 'daily', { open, last, now }) : undefined
}

/** A waiting sync, which replaces any open one. Pure, apart from the id. */
export function newSync(
  { id, version, destinationIds }: Computation,
  reason: 'requested' | 'daily' | 'deleted',
  { open, last, now }: SyncHistory,
): Sync {
  const before = open ?? last
  const complete = completeDestinations(destinationIds, before)
  const former = [...(before?.formerDestinationIds ?? []), ...(before?.destinationIds ?? [])]
  return {
    id: open?.id ?? newId('syn', now),
    computationId: id,
    reason: reason === 'deleted' ? reason : (reasonOf(version, last) ?? reason),
    version,
    destinationIds,
    addedDestinationIds: destinationIds.filter((each) => !complete.includes(each)),
    formerDestinationIds: [...new Set(former)],
    state: 'waiting',
    createdAt: now,
    startedAt: null,
    finishedAt: null,
    evaluated: 0,
    announced: 0,
    entered: 0,
    left: 0,
    missed: 0,
    afterProfile: 0,
    afterUser: '',
    error: null,
  }
}

/** Why this version must be synced; `undefined` if all profiles were evaluated with it. */
function reasonOf(version: number, last: Sync | undefined): SyncReason | undefined {
  if (last === undefined) return 'created'
  return last.version === version && last.state === 'done' ? undefined : 'changed'
}

/**
 * Destinations that get every change: before the first sync, all; after a failed one, none; an added destination, once its
 * sync is done.
 */
function completeDestinations(
  destinationIds: readonly string[],
  before: Sync | undefined,
): readonly string[] {
  if (before === undefined) return destinationIds
  if (before.state === 'failed') return []
  if (before.state === 'done') return before.destinationIds
  return before.destinationIds.filter((each) => !before.addedDestinationIds.includes(each))
}
