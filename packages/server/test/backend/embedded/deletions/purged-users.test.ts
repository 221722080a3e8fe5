import { expect, test } from 'vitest'
import { PurgedUsers } from '../../../../src/backend/embedded/deletions/purged-users.ts'
import { acceptedEvent } from '@hookline/testing/records/accepted-event'

const HOUR = 60 * 60 * 1000
const PURGE = { deletionId: 'del_a', userIds: ['u1'], sourceIds: null }

test('an event that is no longer in the table is covered; events of other users are not looked up', () => {
  const purged = new PurgedUsers({
    seqOf: (id) => {
      if (id !== mine.id) throw new Error('It is not looked up.')
      return undefined
    },
  })
  const mine = acceptedEvent()
  purged.add(PURGE, 5)
  expect(purged.has(mine)).toBe(true)
  expect(purged.has(acceptedEvent({ userId: 'u2' }))).toBe(false)
})

test('a purge is forgotten after an hour of a clock that nobody can set', () => {
  let nowMs = 0
  const purged = new PurgedUsers({ seqOf: () => 5, nowMs: () => nowMs })
  purged.add(PURGE, 5)
  nowMs = HOUR
  purged.forgetOld()
  expect(purged.has(acceptedEvent())).toBe(true)
  nowMs = HOUR + 1
  purged.forgetOld()
  expect(purged.has(acceptedEvent())).toBe(false)
})

test('where the table cannot be read, an event is kept: it may be from after the purge', () => {
  const purged = new PurgedUsers({
    seqOf: () => {
      throw new Error('disk I/O error')
    },
  })
  purged.add(PURGE, 5)
  expect(purged.has(acceptedEvent())).toBe(false)
})
