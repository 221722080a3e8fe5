import { idFrom } from '@hookline/protocol'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { acceptedEvent, NOON } from '../records/accepted-event.ts'
import { eventInserter } from './event-rows.ts'
import type { TemporaryFolder } from './temporary-folder.ts'
import { migrate, MIGRATIONS } from '../../../server/src/backend/embedded/migrations/migrate.ts'

/** Creates a database of delivered events, at least one per millisecond from NOON on. Faster than delivering them. */
export function fillArchive(
  folder: TemporaryFolder,
  {
    events,
    attemptsEach = 0,
    eventsEachMs = 1,
  }: {
    readonly events: number
    readonly attemptsEach?: number
    readonly eventsEachMs?: number
  },
): void {
  const file = join(folder.path, 'hookline.db')
  using db = new DatabaseSync(file)
  db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF')
  migrate(db, file, MIGRATIONS)
  const insert = eventInserter(db)
  const delivery = db.prepare(
    `INSERT INTO deliveries (id, event_id, destination_id, state, attempt_count, first_due_at, webhooks)
     VALUES (?, ?, 'dst_a', 'delivered', 1, ?, '[]')`,
  )
  const attempt = db.prepare(
    'INSERT INTO attempts (delivery_id, id, has_body, document) VALUES (?, ?, 1, ?)',
  )
  const tail = new Uint8Array(10)
  const document = JSON.stringify({ body: 'x'.repeat(200) })
  db.exec('BEGIN')
  for (let seq = 1; seq <= events; seq += 1) {
    const at = NOON + Math.ceil(seq / eventsEachMs)
    new DataView(tail.buffer).setUint32(6, seq)
    const [eventId, deliveryId] = [idFrom('evt', at, tail), idFrom('msg', at, tail)]
    const properties = { filler: 'x'.repeat(200) }
    insert(seq, acceptedEvent({ id: eventId, at, messageId: `m${seq}`, properties }))
    delivery.run(deliveryId, eventId, at)
    for (let each = 0; each < attemptsEach; each += 1)
      attempt.run(deliveryId, `att_${each}`, document)
  }
  db.exec(`UPDATE log_position SET acked = ${events}; COMMIT`)
}
