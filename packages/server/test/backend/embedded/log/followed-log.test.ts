import { expect, test } from 'vitest'
import { sqliteFollowedLog } from '../../../../src/backend/embedded/log/sqlite-followed-log.ts'
import { eventInserter } from '@hookline/testing/files/event-rows'
import { acceptedEvent } from '@hookline/testing/records/accepted-event'
import { OpenLog } from './open-log.ts'

test('corrupt events are skipped', async () => {
  await using open = new OpenLog((db) => {
    const insert = eventInserter(db)
    for (let seq = 1; seq <= 4; seq++) insert(seq, acceptedEvent())
    db.exec(`UPDATE events SET body = substr(body, 2) WHERE seq = 2;
      UPDATE events SET type = 'page', body = '[]' WHERE seq = 3;
      UPDATE events SET origin = '{' WHERE seq = 4`)
  })
  const followed = sqliteFollowedLog(open.readers, open.log)
  const every = await followed.read({ after: 0, limit: 9 })
  expect(every).toMatchObject({ events: [{ position: 1 }], through: 4, isEnd: true })
  const only = { events: ['Order Completed'], types: ['page'] } as const
  const selected = await followed.read({ after: 0, limit: 9, only })
  expect(selected).toMatchObject({ events: [{ position: 1 }], through: 4, isEnd: true })
})

test('a follower that has never waited for events reads new ones from memory', async () => {
  await using open = new OpenLog()
  const events = [acceptedEvent(), acceptedEvent()]
  await open.log.append(events)
  const followed = sqliteFollowedLog(open.readers, open.log)
  await open.readers[Symbol.asyncDispose]()
  const slice = await followed.read({ after: 0, limit: 9 })
  expect(slice).toMatchObject({ events: [{ position: 1 }, { position: 2 }], isEnd: true })
})
