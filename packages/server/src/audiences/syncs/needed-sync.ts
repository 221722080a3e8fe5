import { type Computation, newId } from '@hookline/protocol'
import type { Sync, SyncReason } from '../../backend/syncs.ts'

/** How long after a sync the next one checks that nothing was missed. */
export const DAILY_MS = 24 * 60 * 60 * 1000

/**
 * The sync that a computation needs and does not have yet: for a version that none is for, and once a day. It is found by
 * comparison, so that no crash and no restore between a change and its sync loses one. Pure, apart from the id.
 */
export function neededSync(
  computation: Computation,
  { open, last, now }: { open: Sync | undefined; last: Sync | undefined; now: number },
): Sync | undefined {
  if (open?.reason === 'deleted' || !computation.enabled) return undefined
  if (open !== undefined)
    return open.version === computation.version
      ? undefined
      : newSync(computation, 'changed', { open, last, now })
  if (last === undefined) return newSync(computation, 'created', { open, last, now })
  if (last.version !== computation.version)
    return newSync(computation, 'changed', { open, last, now })
  const isOld = Math.abs(now - last.createdAt) >= DAILY_MS
  return isOld ? newSync(computation, 'daily', { open, last, now }) : undefined
}

/** A sync that waits. It takes the place of the open one, which is for another version. */
export function newSync(
  { id, version, destinationIds }: Computation,
  reason: SyncReason,
  { open, last, now }: { open: Sync | undefined; last: Sync | undefined; now: number },
): Sync {
  const before = open ?? last
  const complete = completeDestinations({ destinationIds }, before)
  const former = [...(before?.formerDestinationIds ?? []), ...(before?.destinationIds ?? [])]
  return {
    id: open?.id ?? newId('syn', now),
    computationId: id,
    // The first sync is the first one until it is done.
    reason: open?.reason === 'created' && reason !== 'deleted' ? 'created' : reason,
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

/**
 * The destinations that have been told of every change so far, and go on to be. Before the first sync that is every one:
 * nothing was told yet. One that a sync adds has the value of every user when that sync is done, and not before.
 */
function completeDestinations(
  { destinationIds }: Pick<Computation, 'destinationIds'>,
  before: Sync | undefined,
): readonly string[] {
  if (before === undefined) return destinationIds
  if (before.state === 'failed') return []
  if (before.state === 'done') return before.destinationIds
  return before.destinationIds.filter((each) => !before.addedDestinationIds.includes(each))
}
