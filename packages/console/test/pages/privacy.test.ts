import { expect, test } from 'vitest'
import { ApiProblem } from '../../src/api/problem.ts'
import {
  refetchMsOf,
  notifiedOf,
  shownState,
  shownStatus,
  subjectsOf,
} from '../../src/pages/privacy/deletion-facts.ts'
import {
  deletionBody,
  errorIn,
  idsIn,
  spacedIds,
  deletionConfirmation,
} from '../../src/pages/privacy/deletion-fields.ts'

const NOTIFICATION = {
  sourceId: 'src_1',
  destinationId: 'dst_1',
  status: 'delivered' as const,
  notices: { waiting: 0, delivered: 1, failed: 0 },
  attempts: 1,
  notifiedAt: null,
}
const DELETION = {
  id: 'del_1',
  state: 'finished' as const,
  users: 2,
  anonymousUsers: 1,
  sourceIds: null,
  suppress: false,
  createdAt: '2026-11-23T00:00:00.000Z',
  suppressedAt: null,
  purgedAt: '2026-11-23T00:00:01.000Z',
  purged: { events: 1, anonymousEvents: 0, deliveries: 1 },
  notifications: [NOTIFICATION],
}

test('ids are read one per line, without duplicates, with their spaces', () => {
  expect(idsIn('u1\r\n\n u1\nu1\n  \nÜ 2 ')).toEqual(['u1', ' u1', 'Ü 2 '])
  expect(spacedIds(['u1', ' u1', 'Ü 2 ', 'a b'])).toEqual([' u1', 'Ü 2 '])
})

test('a request contains only the requested ids', () => {
  const fields = {
    users: 'u1',
    anonymous: '',
    sourceIds: ['src_1'],
    isEverySource: true,
    suppress: false,
  }
  expect(deletionBody(fields)).toEqual({ userIds: ['u1'] })
  expect(
    deletionBody({ ...fields, users: '', anonymous: 'a1', isEverySource: false, suppress: true }),
  ).toEqual({ anonymousIds: ['a1'], sourceIds: ['src_1'], suppress: true })
})

test('the confirmation is the id, or the number of ids', () => {
  expect(deletionConfirmation({ userIds: ['u1'] })).toBe('u1')
  expect(deletionConfirmation({ userIds: ['\u202eu1'] })).toBe('delete')
  expect(deletionConfirmation({ userIds: ['u1', 'u2'], anonymousIds: ['a1'] })).toBe('3')
})

test('the error for one id includes its line number', () => {
  const errors = [
    { pointer: '/userIds/1', code: 'x', message: 'It is half a character.', hint: 'Cut between.' },
  ]
  const error = new ApiProblem(422, { errors })
  expect(errorIn(error, '/userIds', ['u1', 'u2'])).toBe(
    'Line 2: It is half a character. Cut between.',
  )
  expect(errorIn(error, '/anonymousIds')).toBeUndefined()
})

test('the state of a deletion includes its notices', () => {
  const failed = { ...NOTIFICATION, status: 'failed' as const }
  expect(shownState(DELETION).words).toBe('Deleted, all notified')
  expect(shownState({ ...DELETION, notifications: [] }).words).toBe('Deleted')
  expect(shownState({ ...DELETION, state: 'partial', notifications: [failed] })).toEqual({
    tone: 'retrying',
    icon: 'warning',
    words: 'Deleted, partially notified',
  })
  expect(shownState({ ...DELETION, state: 'running' }).words).toBe('Deleted, notifying')
  expect(shownState({ ...DELETION, state: 'running', purgedAt: null }).words).toBe('Deleting')
  expect(notifiedOf({ notifications: [NOTIFICATION, failed] })).toBe('1 of 2')
  expect(subjectsOf(DELETION)).toBe('2 users, 1 anonymous ID')
})

test('with several webhooks, a failed notice may have reached some of them', () => {
  expect(shownStatus({ status: 'failed' }, 1).tone).toBe('failed')
  expect(shownStatus({ status: 'failed' }, 2).words).toBe('Partially notified')
})

test('unfinished deletions are polled, recent ones more often, and finished ones never', () => {
  const began = Date.parse(DELETION.createdAt)
  const running = { ...DELETION, state: 'running' as const }
  expect(refetchMsOf(running, began + 1_000)).toBe(1_000)
  expect(refetchMsOf(running, began + 3_600_000)).toBe(15_000)
  expect(refetchMsOf(DELETION, began)).toBe(false)
})
