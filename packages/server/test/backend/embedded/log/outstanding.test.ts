import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { eventInserter } from '@hookline/testing/files/event-rows'
import { acceptedEvent } from '@hookline/testing/records/accepted-event'
import type { LogEntry } from '../../../../src/backend/log.ts'
import type { MaxAmount } from '../../../../src/backend/accepted-event.ts'
import { OpenLog } from './open-log.ts'

const EVENTS = 2_000
const BODY_BYTES = 200

/** A log with events from before a restart, which it reads from the table. */
function logWithBacklog(maxOutstanding: MaxAmount): OpenLog {
  return new OpenLog(
    (db) => {
      const insert = eventInserter(db)
      db.exec('BEGIN')
      for (let seq = 1; seq <= EVENTS; seq++) {
        insert(seq, acceptedEvent({ properties: { filler: 'x'.repeat(BODY_BYTES) } }))
      }
      db.exec('COMMIT')
    },
    { maxOutstanding },
  )
}

test.each([
  ['events', { events: 500, bytes: Infinity }],
  ['bytes', { events: Infinity, bytes: 500 * BODY_BYTES }],
])('the number of unacked %s handed out is limited', async (_, max) => {
  await using open = logWithBacklog(max)
  const stop = new AbortController()
  const unacked: LogEntry[] = []
  const count = { handedOut: 0 }
  const consuming = (async () => {
    for await (const entries of open.log.consume({ signal: stop.signal })) {
      unacked.push(...entries)
      count.handedOut += entries.length
    }
  })()
  // Without acks it stops, regardless of the number of turns.
  for (let turns = 0; turns < 100; turns++) await turn()
  expect(count.handedOut).toBeGreaterThan(0)
  // It may exceed the limit by one read.
  expect(count.handedOut).toBeLessThanOrEqual(500 + 256)
  while (count.handedOut < EVENTS) {
    const before = count.handedOut
    await open.log.ack(unacked.splice(0))
    await expect.poll(() => count.handedOut).toBeGreaterThan(before)
  }
  stop.abort()
  await consuming
})
