import type { DatabaseSync } from 'node:sqlite'
import type {
  DeletedIds,
  DeletionStep,
  LeftOutCalls,
  Subject,
  Suppression,
} from '../../deletions.ts'

/** The `source_id` of a suppression in every source. */
export const EVERY_SOURCE = ''

export function createDeletion(
  db: DatabaseSync,
): (deletion: {
  readonly id: string
  readonly step: DeletionStep
  readonly document: string
  readonly ids: DeletedIds
}) => void {
  const insert = db.prepare('INSERT INTO deletions (id, step, document) VALUES (?, ?, ?)')
  const insertUser = db.prepare('INSERT OR IGNORE INTO deletion_users VALUES (?, ?)')
  const insertAnonymous = db.prepare('INSERT OR IGNORE INTO deletion_anonymous_ids VALUES (?, ?)')
  return ({ id, step, document, ids: { userIds, anonymousIds = [] } }) => {
    insert.run(id, step, document)
    for (const userId of userIds) insertUser.run(id, userId)
    for (const anonymousId of anonymousIds) insertAnonymous.run(id, anonymousId)
  }
}

/** For each step, the one before it, and the column for the time when that one was done. */
const STEPS: readonly (readonly [to: DeletionStep, from: DeletionStep, doneAt: string])[] = [
  ['purge', 'suppress', 'suppressed_at'],
  ['notify', 'purge', 'purged_at'],
  ['done', 'notify', 'notified_at'],
]

/** The purge ends at the last event of this moment. The writer performs every append either before this or after it. */
const END_PURGE_HERE = 'purge_through = (SELECT COALESCE(MAX(seq), 0) FROM events)'

/** Records that the deletion begins, where `to` is its step already; otherwise that `to` is its next step. */
export function advanceDeletion(
  db: DatabaseSync,
): (move: { readonly id: string; readonly to: DeletionStep; readonly now: number }) => void {
  const begin = db.prepare(
    `UPDATE deletions SET started_at = ?3, ${END_PURGE_HERE}
     WHERE id = ?1 AND step = ?2 AND started_at IS NULL`,
  )
  const moves = new Map(
    STEPS.map(([to, from, doneAt]) => [
      to,
      db.prepare(
        `UPDATE deletions SET step = '${to}', ${doneAt} = ?${to === 'purge' ? `, ${END_PURGE_HERE}` : ''}
         WHERE id = ? AND step = '${from}'`,
      ),
    ]),
  )
  return ({ id, to, now }) => {
    if (begin.run(id, to, now).changes === 0) moves.get(to)?.run(now, id)
  }
}

/** Adds suppressions; one of the same user and source stays as it is. */
export function addSuppressions(db: DatabaseSync): (suppressions: readonly Suppression[]) => void {
  const insert = db.prepare(
    `INSERT OR IGNORE INTO suppressions (kind, user_id, source_id, since, deletion_id)
     VALUES (?, ?, ?, ?, ?)`,
  )
  return (suppressions) => {
    for (const { kind, id, sourceId, since, deletionId } of suppressions)
      insert.run(kind, id, sourceId ?? EVERY_SOURCE, since, deletionId)
  }
}

/** Counts calls that were left out, on the suppressions of their users in their source. */
export function countLeftOut(db: DatabaseSync): (calls: LeftOutCalls) => void {
  const count = db.prepare(
    `UPDATE suppressions SET calls_left_out = calls_left_out + ?, last_left_out_at = ?
     WHERE kind = ? AND user_id = ? AND source_id IN (?, '${EVERY_SOURCE}')`,
  )
  return ({ sourceId, users, at }) => {
    for (const { kind, id, calls } of users) count.run(calls, at, kind, id, sourceId)
  }
}

/** Removes every suppression of a user; returns whether there was one. */
export function removeSuppressions(db: DatabaseSync): (user: Subject) => boolean {
  const remove = db.prepare('DELETE FROM suppressions WHERE kind = ? AND user_id = ?')
  return ({ kind, id }) => remove.run(kind, id).changes > 0
}
