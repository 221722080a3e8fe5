import { type Computation, newId } from '@hookline/protocol'
import type { Backend } from '../../backend/backend.ts'
import type { Sync, SyncReason } from '../../backend/syncs.ts'
import type { Clock } from '../../util/time/clock.ts'

/** How long after a sync the next one checks that nothing was missed. */
export const DAILY_MS = 24 * 60 * 60 * 1000

type NeededSyncsOptions = Pick<Backend, 'catalog' | 'syncs'> & { readonly clock: Clock }

/** The syncs that a computation has, and the time. */
interface Known {
  readonly open: Sync | undefined
  readonly last: Sync | undefined
  readonly now: number
}

/**
 * Records the syncs that computations need. A version is planned only when its sync is recorded: so no destination can miss
 * a change between two versions.
 */
export class NeededSyncs {
  readonly #options: NeededSyncsOptions
  #last: Promise<void> = Promise.resolve()

  constructor(options: NeededSyncsOptions) {
    this.#options = options
  }

  /** One call after the other: two at once would record a sync twice. */
  put(): Promise<void> {
    const run = this.#last.then(() => this.#put())
    this.#last = run.catch(() => undefined)
    return run
  }

  async #put(): Promise<void> {
    const { catalog, syncs, clock } = this.#options
    const open = new Map((await syncs.open()).map((sync) => [sync.computationId, sync]))
    const ended = await syncs.last()
    for (const computation of catalog.current.computations.values()) {
      const { id } = computation
      const last = ended.get(id)
      // The process ended before it could do so.
      if (last?.reason === 'deleted' && last.state === 'done') await catalog.removeComputation(id)
      const sync = neededSync(computation, { open: open.get(id), last, now: clock.wall() })
      if (sync !== undefined) await syncs.put(sync)
    }
  }
}

/**
 * The sync that a computation needs and does not have yet: for a version that none is for, and once a day. It is found by
 * comparison, so that no crash and no restore between a change and its sync loses one. Pure, apart from the id.
 */
function neededSync(computation: Computation, { open, last, now }: Known): Sync | undefined {
  if (open?.reason === 'deleted' || !computation.enabled) return undefined
  const isOld = open === undefined && Math.abs(now - (last?.createdAt ?? now)) >= DAILY_MS
  const isNew = (open ?? last)?.version !== computation.version
  return isNew || isOld ? newSync(computation, 'daily', { open, last, now }) : undefined
}

/** A sync that waits. It takes the place of the open one, which is for another version. Pure, apart from the id. */
export function newSync(
  { id, version, destinationIds }: Computation,
  reason: 'requested' | 'daily' | 'deleted',
  { open, last, now }: Known,
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
    looked: 0,
    told: 0,
    entered: 0,
    left: 0,
    missed: 0,
    afterProfile: 0,
    afterUser: '',
    error: null,
  }
}

/** Why a version must be synced, whatever was asked for: its profiles were not all evaluated yet. */
function reasonOf(version: number, last: Sync | undefined): SyncReason | undefined {
  if (last === undefined) return 'created'
  return last.version === version && last.state === 'done' ? undefined : 'changed'
}

/**
 * The destinations that have been told of every change so far, and go on to be. Before the first sync that is every one:
 * nothing was told yet. One that a sync adds has the value of every user when that sync is done, and not before.
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
