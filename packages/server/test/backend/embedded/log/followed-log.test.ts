import { expect, test } from 'vitest'
import { SqliteFollowedLog } from '../../../../src/backend/embedded/log/sqlite-followed-log.ts'
import { acceptedEvent } from '@hookline/testing/records/accepted-event'
import { OpenLog } from './open-log.ts'

test('damaged events are left out, and passed over', async () => {
  await using open = new OpenLog((db) => {
    const insert = db.prepare(
      `INSERT INTO events (id, source_id, message_id, type, received_at, marks, body, origin)
       VALUES (?, 'src_a', ?, ?, 0, '', ?, ?)`,
    )
    const body = JSON.stringify(acceptedEvent().event)
    insert.run('evt_1', '1', 'track', body, null)
    insert.run('evt_2', '2', 'track', body.slice(0, -1), null)
    insert.run('evt_3', '3', 'page', '[]', null)
    insert.run('evt_4', '4', 'track', body, '{')
  })
  const followed = new SqliteFollowedLog(open.readers, open.log)
  const every = await followed.read({ after: 0, limit: 9 })
  expect(every).toMatchObject({ events: [{ position: 1 }], through: 4, isEnd: true })
  const only = { events: ['Order Completed'], types: ['page'] } as const
  const selected = await followed.read({ after: 0, limit: 9, only })
  expect(selected).toMatchObject({ events: [{ position: 1 }], through: 4, isEnd: true })
})
