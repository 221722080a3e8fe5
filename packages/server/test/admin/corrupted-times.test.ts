import type { SQLInputValue } from 'node:sqlite'
import { expect, test } from 'vitest'
import {
  attemptOf,
  LANE,
  recordDelivery,
} from '../backend/conformance/deliveries/recorded-delivery.ts'
import { openDatabaseOfRunningService } from '@hookline/testing/service/running-database'
import { acceptedEvent, NOON } from '@hookline/testing/records/accepted-event'
import { newReplay } from '@hookline/testing/records/new-replay'
import { AdminServer } from './admin-server.ts'

/** Times outside the range of Date, or that SQLite or JavaScript cannot read as an integer. */
const CORRUPTED = [9e15, 2n ** 60n, 1e300, -1e300, 'noon'] as const

/** Writes a value into a column of every row, regardless of the column's type, as corruption may. */
function corrupt(dataDir: string, column: string, value: SQLInputValue): void {
  const changeSchema = (sql: string): void => {
    using db = openDatabaseOfRunningService(dataDir, { defensive: false })
    db.exec(`PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = ${sql}`)
  }
  const [table, name] = column.split('.') as [string, string]
  changeSchema(`replace(sql, ') STRICT', ') /*STRICT*/')`)
  {
    using db = openDatabaseOfRunningService(dataDir)
    db.prepare(`UPDATE ${table} SET ${name} = ?`).run(value)
  }
  changeSchema(`replace(sql, ') /*STRICT*/', ') STRICT')`)
}

/** A server with a row in each list that has times. */
async function serverWithRows(): Promise<AdminServer> {
  const server = await AdminServer.open()
  const { backend } = server
  const event = acceptedEvent()
  await recordDelivery(server, {}, event)
  await backend.log.append([acceptedEvent(event.event)])
  await backend.replays.create(newReplay())
  const deletion = { id: 'del_a', createdAt: NOON, sourceIds: null, suppress: true, users: 1 }
  await backend.deletions.create(deletion, { userIds: ['u1'] })
  await backend.deletions.advance('del_a', 'suppress', NOON)
  const suppressed = { kind: 'user', id: 'u1', sourceId: null, since: NOON } as const
  await backend.suppressions.add([{ ...suppressed, deletionId: 'del_a' }])
  return server
}

test.each([
  ['deliveries.first_due_at', '/deliveries'],
  ['events.last_duplicate_at', '/events'],
  ['replays.created_at', '/replays'],
  ['deletions.purged_at', '/deletions'],
  ['suppressions.since', '/suppressions'],
  ['suppressions.last_dropped_at', '/suppressions'],
])(
  'a corrupted time in %s is shown as the epoch, with the rest of its row',
  async (column, path) => {
    await using server = await serverWithRows()
    for (const value of CORRUPTED) {
      corrupt(server.dataDir, column, value)
      const { status, text } = await server.call<{ data: unknown[] }>('GET', path)
      expect([status, text], `${value}`).toEqual([
        200,
        expect.stringContaining('1970-01-01T00:00:00'),
      ])
    }
  },
)

test.each(['first_due_at', 'due_at'])(
  'a delivery with a corrupted %s is quarantined, and not sent',
  async (column) => {
    await using server = await AdminServer.open()
    const { id } = await recordDelivery(server)
    for (const value of CORRUPTED) {
      corrupt(server.dataDir, `deliveries.${column}`, value)
      const { deliveries, unreadable } = await server.backend.deliveries.claim(LANE, {
        due: NOON,
        limit: 9,
      })
      const reason = 'The timestamps in the database are corrupted.'
      expect({ deliveries, unreadable }, `${value}`).toEqual({
        deliveries: [],
        unreadable: [{ id, reason }],
      })
      await server.backend.deliveries.release([id])
    }
  },
)

test('an attempt with a corrupted start is left out of the history of its delivery', async () => {
  await using server = await AdminServer.open()
  const { backend } = server
  const delivery = await recordDelivery(server)
  const attempts = [attemptOf(), attemptOf({ id: 'att_2', number: 2, startedAt: 1e300 })]
  await backend.deliveries.record([{ delivery, attempts }])
  const { status, body } = await server.call<{ data: { attempts: { id: string }[] }[] }>(
    'GET',
    '/deliveries',
  )
  expect(status).toBe(200)
  expect(body.data[0]!.attempts.map(({ id }) => id)).toEqual(['att_1'])
})
