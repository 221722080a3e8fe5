import { isId, timeOfId } from '@hookline/protocol'
import type { Deletion, Subject, SuppressionRecord } from '../../backend/deletions.ts'
import type { ArchivedEvent } from '../../backend/events.ts'
import type { AdminDeps } from '../api/admin-deps.ts'
import { deletionOf } from './deletions-of.ts'
import { MAX_SUPPRESSIONS } from './event-schema.ts'
import { MISSING_CAUSES, type MissingCause, type MissingCauseCode } from './missing-causes.ts'
import { aDayBefore, refusedCalls } from './refused-calls.ts'

/** What is known of the event that is missing. */
export interface MissingEvent {
  readonly eventId?: string
  readonly messageId?: string
  readonly userId?: string
  readonly anonymousId?: string
  readonly sourceId?: string
}

/** How many deletions are looked through, the newest first. */
const MOST_DELETIONS = 100

const ORDER = Object.keys(MISSING_CAUSES) as MissingCauseCode[]

/** The causes that may apply, the surest first, from what this service knows. */
export async function whyMissing(missing: MissingEvent, deps: AdminDeps): Promise<MissingCause[]> {
  const { statistics, upkeep, clock } = deps
  const now = clock.wall()
  const user = subjectOf(missing)
  const { quarantined } = await upkeep.backlog()
  const causes = [
    ...(await existing(missing, deps)),
    ...(await suppressed(user, missing, deps)),
    ...(await deleted(user, deps)),
    ...expired(missing, deps),
    ...sourceCauses(missing, deps, now),
    ...(await refusedCalls(statistics, { ...missing, from: aDayBefore(now), to: now })),
    ...(quarantined > 0
      ? [{ code: 'quarantined' as const, evidence: { count: quarantined } }]
      : []),
  ]
  const isThere = causes.some(({ code }) => code === 'event_exists' || code === 'other_source')
  const all: MissingCause[] = isThere ? causes : [...causes, { code: 'not_sent', evidence: {} }]
  return all.toSorted((a, b) => ORDER.indexOf(a.code) - ORDER.indexOf(b.code))
}

/** Calls that have both ids belong to the user. */
function subjectOf({ userId, anonymousId }: MissingEvent): Subject | undefined {
  if (userId !== undefined) return { kind: 'user', id: userId }
  return anonymousId === undefined ? undefined : { kind: 'anonymous', id: anonymousId }
}

async function existing(
  { eventId, messageId, sourceId }: MissingEvent,
  { events }: AdminDeps,
): Promise<MissingCause[]> {
  const byId = eventId === undefined ? undefined : await events.find(eventId)
  const byMessageId = async (): Promise<readonly ArchivedEvent[]> => {
    if (messageId === undefined) return []
    return (await events.list({ messageId }, { limit: MAX_SUPPRESSIONS })).data
  }
  const all = byId ? [byId] : await byMessageId()
  const event = all.find((each) => each.sourceId === sourceId) ?? all[0]
  if (event === undefined) return []
  const isElsewhere = sourceId !== undefined && event.sourceId !== sourceId
  const { duplicates, lastDuplicateAt } = event
  return [
    {
      code: isElsewhere ? 'other_source' : 'event_exists',
      evidence: {
        eventId: event.id,
        sourceId: event.sourceId,
        count: duplicates,
        ...(lastDuplicateAt !== null && { lastAt: lastDuplicateAt }),
      },
    },
  ]
}

async function suppressed(
  user: Subject | undefined,
  { sourceId }: MissingEvent,
  { suppressions }: AdminDeps,
): Promise<MissingCause[]> {
  const { data } =
    user === undefined
      ? await suppressions.list({}, { limit: MAX_SUPPRESSIONS })
      : await suppressions.find(user, MAX_SUPPRESSIONS)
  const about = data.filter(
    (each) => each.sourceId === null || sourceId === undefined || each.sourceId === sourceId,
  )
  if (user === undefined) return leftOut(about)
  return about.map(({ since, callsLeftOut: count, lastLeftOutAt, deletionId }) => ({
    code: 'suppressed',
    evidence: {
      since,
      count,
      ...(lastLeftOutAt !== null && { lastAt: lastLeftOutAt }),
      deletionId,
    },
  }))
}

function leftOut(about: readonly SuppressionRecord[]): MissingCause[] {
  const count = about.reduce((sum, { callsLeftOut }) => sum + callsLeftOut, 0)
  if (count === 0) return []
  const lastAt = Math.max(...about.map(({ lastLeftOutAt }) => lastLeftOutAt ?? 0))
  return [{ code: 'users_suppressed', evidence: { count, lastAt } }]
}

async function deleted(
  user: Subject | undefined,
  { deletions }: AdminDeps,
): Promise<MissingCause[]> {
  const { data } = await deletions.list({}, { limit: MOST_DELETIONS })
  if (user !== undefined) {
    const own = await deletionOf(user, data, deletions)
    return own === undefined ? [] : [{ code: 'deleted', evidence: evidenceOf([own]) }]
  }
  const removing = data.filter(({ purged }) => purged.events > 0)
  return removing.length === 0 ? [] : [{ code: 'deletions', evidence: evidenceOf(removing) }]
}

function evidenceOf(found: readonly Deletion[]): MissingCause['evidence'] {
  const [newest] = found
  return {
    count: found.reduce((sum, { purged }) => sum + purged.events, 0),
    lastAt: newest!.purgedAt ?? newest!.createdAt,
    deletionId: newest!.id,
  }
}

/** The id of an event has the time when it was received. */
function expired(
  { eventId }: MissingEvent,
  { clockWatch, retentionMs }: AdminDeps,
): MissingCause[] {
  if (eventId === undefined || !isId('evt', eventId)) return []
  const since = clockWatch.removalTime() - retentionMs
  const lastAt = timeOfId(eventId)
  return lastAt < since ? [{ code: 'expired', evidence: { since, lastAt } }] : []
}

function sourceCauses(
  { sourceId }: MissingEvent,
  { catalog, keyUses }: AdminDeps,
  now: number,
): MissingCause[] {
  const { sources } = catalog.current
  const about = [...sources.values()].filter(({ id }) => sourceId === undefined || id === sourceId)
  if (about.length === 0) return [{ code: 'unknown_source', evidence: { count: sources.size } }]
  const disabled = about.filter(({ enabled }) => !enabled)
  const uses = about.flatMap(({ writeKeys }) =>
    writeKeys.flatMap(({ key }) => keyUses.lastUsedAt(key) ?? []),
  )
  const lastAt = uses.length === 0 ? undefined : Math.max(...uses)
  const isSilent = lastAt === undefined || lastAt < aDayBefore(now)
  return [
    ...disabled.map(({ id }) => ({
      code: 'source_disabled' as const,
      evidence: { sourceId: id },
    })),
    ...(isSilent
      ? [{ code: 'source_silent' as const, evidence: lastAt === undefined ? {} : { lastAt } }]
      : []),
  ]
}
