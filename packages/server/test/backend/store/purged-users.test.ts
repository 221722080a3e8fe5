import { expect, test } from 'vitest'
import { PurgedUsers, purgedIdsOf } from '../../../src/backend/store/purged-users.ts'
import { acceptedEvent } from '@hookline/testing/records/accepted-event'

const HOUR = 60 * 60 * 1000
const PURGED = purgedIdsOf([{ kind: 'user', id: 'u1' }], { sourceIds: null, through: 5 })

test('a removed event is covered, and events from other users are not looked up', () => {
  const mine = acceptedEvent()
  const purged = new PurgedUsers({
    positionOf: ({ id }) => {
      if (id !== mine.id) throw new Error('Unexpected lookup.')
      return 0
    },
  })
  purged.add(PURGED)
  expect(purged.has(mine)).toBe(true)
  expect(purged.has(acceptedEvent({ userId: 'u2' }))).toBe(false)
})

test('a purge is forgotten after an hour on the monotonic clock', () => {
  let nowMs = 0
  const purged = new PurgedUsers({ positionOf: () => 5, nowMs: () => nowMs })
  purged.add(PURGED)
  nowMs = HOUR
  purged.forgetOld()
  expect(purged.has(acceptedEvent())).toBe(true)
  nowMs = HOUR + 1
  purged.forgetOld()
  expect(purged.has(acceptedEvent())).toBe(false)
})

test('an event with an unknown position is kept, because it may be from after the purge', () => {
  const purged = new PurgedUsers({ positionOf: () => undefined })
  purged.add(PURGED)
  expect(purged.has(acceptedEvent())).toBe(false)
})
