import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { initial } from '../../../../src/backend/embedded/migrations/0001-initial.ts'
import { waitingReplaysQuarantine } from '../../../../src/backend/embedded/migrations/0002-waiting-replays-quarantine.ts'

const insert = (db: DatabaseSync, id: string, state: string): void => {
  db.prepare(
    `INSERT INTO deliveries (id, event_id, destination_id, state, rounds, first_due_at, webhooks)
     VALUES (?, 'evt_1', 'dst_a', ?, 0, 0, '[]')`,
  ).run(id, state)
}

const counts = (db: DatabaseSync): object =>
  Object.fromEntries(
    db
      .prepare('SELECT state, count FROM waiting')
      .all()
      .map(({ state, count }) => [String(state), count]),
  )

test('counts deliveries that waited before the step, and those that begin and end to wait after it', () => {
  using db = new DatabaseSync(':memory:')
  db.exec(initial)
  insert(db, 'msg_1', 'pending')
  insert(db, 'msg_2', 'pending')
  insert(db, 'msg_3', 'delivered')
  db.exec(waitingReplaysQuarantine)
  expect(counts(db)).toEqual({ pending: 2 })
  insert(db, 'msg_4', 'held')
  insert(db, 'msg_5', 'rejected')
  db.exec("UPDATE deliveries SET state = 'held' WHERE id = 'msg_1'")
  db.exec("UPDATE deliveries SET state = 'held', rounds = 1 WHERE id = 'msg_1'")
  expect(counts(db)).toEqual({ pending: 1, held: 2 })
  db.exec("UPDATE deliveries SET state = 'delivered' WHERE id = 'msg_4'")
  db.exec("UPDATE deliveries SET state = 'pending' WHERE id = 'msg_5'")
  db.exec("DELETE FROM deliveries WHERE id IN ('msg_2', 'msg_3')")
  expect(counts(db)).toEqual({ pending: 1, held: 1 })
})
