import type { AcceptedEvent } from '@hookline/protocol'
import type { DatabaseSync } from 'node:sqlite'
import type { Announcement, ChangedResult, Evaluated } from '../../evaluations.ts'
import { blockOf, type EventBlock } from '../log/event-block.ts'
import type { Appended, EventAppender } from '../log/write-log.ts'
import { changeCounter, purgeCount } from '../profiles/profiles-state.ts'
import { computationNumbers } from './computation-numbers.ts'

const HOUR_MS = 60 * 60 * 1000

/** Prepares the counts of changes of a computation, by hour. */
function changeCounts(
  db: DatabaseSync,
): (computation: number, change: { readonly at: number; readonly left: boolean }) => void {
  const count = db.prepare(
    `INSERT INTO computation_changes VALUES (?, ?, ?, ?) ON CONFLICT (computation, start)
     DO UPDATE SET entered = entered + excluded.entered, went = went + excluded.went`,
  )
  return (computation, { at, left }) => {
    const start = Math.floor(at / HOUR_MS) * HOUR_MS
    count.run(computation, start, left ? 0 : 1, left ? 1 : 0)
  }
}

function resultWriter(db: DatabaseSync): (profile: number, result: ChangedResult) => void {
  const numberOf = computationNumbers(db)
  const count = changeCounts(db)
  const put = db.prepare(
    `INSERT INTO results VALUES (?, ?, ?, ?) ON CONFLICT (profile, computation)
     DO UPDATE SET value = excluded.value, since = excluded.since`,
  )
  const remove = db.prepare('DELETE FROM results WHERE profile = ? AND computation = ?')
  return (profile, { computationId, value, since }) => {
    const computation = numberOf(computationId)
    if (value === undefined) remove.run(profile, computation)
    else put.run(profile, computation, JSON.stringify(value), since)
    count(computation, { at: since, left: value === undefined })
  }
}

function announcementWriter(db: DatabaseSync): (announcement: Announcement) => void {
  const numberOf = computationNumbers(db)
  const put = db.prepare('INSERT OR REPLACE INTO announced VALUES (?, ?, ?, ?, ?)')
  return ({ userId, computationId, value, number, at }) => {
    put.run(userId, numberOf(computationId), JSON.stringify(value), number, at)
  }
}

/** What a commit has stored: the places of the evaluations in its input, and the append of their events. */
export interface Committed {
  readonly stored: readonly number[]
  readonly appended: Appended
}

/** Stores evaluations of profiles that have not changed since, and appends the events of their announcements. */
export function commitEvaluations(
  db: DatabaseSync,
  { append }: { readonly append: EventAppender },
): (evaluated: readonly Evaluated[]) => Committed {
  const nextChange = changeCounter(db)
  const settle = db.prepare(
    `UPDATE profiles SET dirty_since = NULL, recheck_at = ?, version = ? WHERE id = ? AND version = ?`,
  )
  const putResult = resultWriter(db)
  const putAnnouncement = announcementWriter(db)
  return (evaluated) => {
    const version = nextChange()
    const stored: number[] = []
    const events: AcceptedEvent[] = []
    for (const [index, each] of evaluated.entries()) {
      const { profileId, recheckAt, results, announcements } = each
      if (settle.run(recheckAt, version, profileId, each.version).changes === 0) continue
      stored.push(index)
      for (const result of results) putResult(profileId, result)
      for (const announcement of announcements) {
        putAnnouncement(announcement)
        events.push(announcement.event)
      }
    }
    return { stored, appended: append(blockOf(events)) }
  }
}

/** Appends events, unless a user was purged since they were made. */
export function appendTold(
  db: DatabaseSync,
  { append }: { readonly append: EventAppender },
): (told: { readonly block: EventBlock; readonly purges: number }) => Appended | undefined {
  const purgesNow = purgeCount(db)
  return ({ block, purges }) => (purgesNow() === purges ? append(block) : undefined)
}
