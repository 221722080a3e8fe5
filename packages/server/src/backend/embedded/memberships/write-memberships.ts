import type { DatabaseSync } from 'node:sqlite'
import { computationNumbers } from '../evaluations/computation-numbers.ts'
import { OpenProfiles } from '../profiles/open-profiles.ts'
import { changeCounter } from '../profiles/profiles-state.ts'

const FORGET_ROWS = 2_000

/** Changes the list of a manual audience. Each user on it has a profile. */
export function changeList(
  db: DatabaseSync,
): (change: {
  readonly audienceId: string
  readonly space: string
  readonly add: readonly string[]
  readonly remove: readonly string[]
  readonly at: number
}) => void {
  const numberOf = computationNumbers(db)
  const nextChange = changeCounter(db)
  const profiles = new OpenProfiles(db)
  const put = db.prepare('INSERT OR IGNORE INTO listed_users VALUES (?, ?)')
  const drop = db.prepare('DELETE FROM listed_users WHERE computation = ? AND user_id = ?')
  return ({ audienceId, space, add, remove, at }) => {
    const audience = numberOf(audienceId)
    const changed = [
      ...remove.filter((userId) => drop.run(audience, userId).changes > 0),
      ...add.filter((userId) => put.run(audience, userId).changes > 0),
    ]
    try {
      for (const id of changed) profiles.touch(profiles.require({ space, kind: 'user', id }, true))
      profiles.close(at, nextChange())
    } finally {
      profiles.forget()
    }
  }
}

/** Removes some of what belongs to a computation that is gone. Returns whether there may be more. */
export function forgetComputation(db: DatabaseSync): (id: string) => boolean {
  const number = db.prepare('SELECT number FROM computations WHERE id = ?')
  const rows = [
    ['results', 'profile'],
    ['announced', 'user_id'],
    ['listed_users', 'user_id'],
    ['computation_changes', 'start'],
  ].map(([table, column]) =>
    db.prepare(
      `DELETE FROM ${table} WHERE computation = ?1 AND ${column} IN (
         SELECT ${column} FROM ${table} WHERE computation = ?1 LIMIT ${FORGET_ROWS})`,
    ),
  )
  const removeSyncs = db.prepare('DELETE FROM syncs WHERE computation = ?')
  const remove = db.prepare('DELETE FROM computations WHERE number = ?')
  return (id) => {
    removeSyncs.run(id)
    const computation = number.get(id)?.['number']
    if (computation === undefined) return false
    for (const removal of rows) if (removal.run(computation).changes > 0) return true
    remove.run(computation)
    return false
  }
}
