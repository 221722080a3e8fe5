import type { AcceptedEvent } from '@hookline/protocol'
import type { DatabaseSync } from 'node:sqlite'
import { eventHeadOf } from '../../../server/src/backend/accepted-event.ts'
import { INSERT_EVENT } from '../../../server/src/backend/embedded/log/event-row.ts'
import { checksumOf } from '../../../server/src/util/event-checksum.ts'

/** Prepares a function that stores an event under a sequence number, as the writer does. */
export function eventInserter(db: DatabaseSync): (seq: number, event: AcceptedEvent) => void {
  const insert = db.prepare(INSERT_EVENT)
  return (seq, event) => {
    const head = eventHeadOf(event)
    insert.run(seq, ...head, event.body, checksumOf(head, event.body))
  }
}
