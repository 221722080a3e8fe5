import { idFrom } from '@hookline/protocol'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { NOON } from '../records/accepted-event.ts'
import type { TemporaryFolder } from './temporary-folder.ts'
import { migrateWithKey } from '../../../server/test/backend/embedded/database/migrate-with-key.ts'

/**
 * Creates a database of acked and delivered events, one or more for each millisecond from NOON on, as batches of
 * calls are. Faster than delivering them.
 */
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
  migrateWithKey(db, file)
  const event = db.prepare(
    `INSERT INTO events (seq, id, source_id, message_id, type, received_at, marks, body)
     VALUES (?, ?, 'src_a', ?, 'track', ?, '', ?)`,
  )
  const delivery = db.prepare(
    `INSERT INTO deliveries (id, event_id, destination_id, state, rounds, first_due_at, webhooks)
     VALUES (?, ?, 'dst_a', 'delivered', 1, ?, '[]')`,
  )
  const attempt = db.prepare('INSERT INTO attempts VALUES (?, ?, ?)')
  const tail = new Uint8Array(10)
  const document = JSON.stringify({ body: 'x'.repeat(200) })
  db.exec('BEGIN')
  for (let seq = 1; seq <= events; seq += 1) {
    const at = NOON + Math.ceil(seq / eventsEachMs)
    new DataView(tail.buffer).setUint32(6, seq)
    const [eventId, deliveryId] = [idFrom('evt', at, tail), idFrom('msg', at, tail)]
    const body = { type: 'track', messageId: `m${seq}`, properties: { filler: 'x'.repeat(200) } }
    event.run(seq, eventId, `m${seq}`, at, JSON.stringify(body))
    delivery.run(deliveryId, eventId, at)
    for (let each = 0; each < attemptsEach; each += 1)
      attempt.run(deliveryId, `att_${each}`, document)
  }
  db.exec(`UPDATE log_position SET acked = ${events}; COMMIT`)
}
