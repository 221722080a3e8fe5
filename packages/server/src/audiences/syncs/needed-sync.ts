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
  const isOld = open === undefined && Math.abs(now - (last?.createdAt ?? now)) >= DAILY_MS
  const isNew = (open ?? last)?.version !== computation.version
  return isNew || isOld ? newSync(computation, 'daily', { open, last, now }) : undefined
}

/** A sync that waits. It takes the place of the open one, which is for another version. Pure, apart from the id. */
export function newSync(
  { id, version, destinationIds }: Computation,
  reason: 'requested' | 'daily' | 'deleted',
  { open, last, now }: { open: Sync | undefined; last: Sync | undefined; now: number },
): Sync {
  const before = open ?? last
  const complete = completeDestinations({ destinationIds }, before)
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
  { destinationIds }: Pick<Computation, 'destinationIds'>,
  before: Sync | undefined,
): readonly string[] {
  if (before === undefined) return destinationIds
  if (before.state === 'failed') return []
  if (before.state === 'done') return before.destinationIds
  return before.destinationIds.filter((each) => !before.addedDestinationIds.includes(each))
}
