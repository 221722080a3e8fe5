import { formatTimestamp } from '@hookline/protocol'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { noticeId } from '../../../src/deletions/deletions.ts'
import { NOON } from '@hookline/testing/records/accepted-event'
import { AdminServer } from '../admin-server.ts'
import { errorsIn, type ProblemDocument } from '../problem-document.ts'

interface Shown {
  readonly id: string
  readonly state: string
  readonly notifications: readonly object[]
}

let server: AdminServer
let sourceId: string
let wakes = 0
beforeAll(async () => {
  server = await AdminServer.open({ wake: () => void wakes++ })
  const source = await server.must<{ id: string }>('POST', '/sources', { body: { name: 'web' } })
  sourceId = source.id
})
afterAll(() => server[Symbol.asyncDispose]())

const request = (body: object) => server.call<Shown>('POST', '/deletions', { body })

describe('POST /deletions', () => {
  test('responds with 202 immediately, and wakes the worker', async () => {
    const before = wakes
    const { status, headers, body } = await request({
      userIds: ['u1', 'u2', 'u1'],
      sourceIds: [sourceId],
      suppress: true,
    })
    expect([status, body.state, wakes]).toEqual([202, 'queued', before + 1])
    expect(headers.get('location')).toBe(`/api/v1/deletions/${body.id}`)
    expect(await server.must('GET', `/deletions/${body.id}`)).toEqual({
      id: body.id,
      state: 'queued',
      users: 2,
      anonymousUsers: 0,
      userIds: ['u1', 'u2'],
      anonymousIds: [],
      sourceIds: [sourceId],
      suppress: true,
      createdAt: formatTimestamp(NOON),
      suppressedAt: null,
      purgedAt: null,
      purged: { events: 0, anonymousEvents: 0, deliveries: 0 },
      notifications: [],
    })
  })

  test('accepts at most 5,000 users', async () => {
    const users = Array.from({ length: 5001 }, (_, index) => `user-${index}`)
    const { body } = await request({ userIds: users.slice(1) })
    const shown = await server.must<{ userIds: string[] }>('GET', `/deletions/${body.id}`)
    expect(shown.userIds).toHaveLength(5000)
    const { status, text } = await request({ userIds: users })
    expect(status).toBe(422)
    expect(errorsIn(JSON.parse(text) as ProblemDocument)).toEqual(['/userIds too_many'])
  })

  test.for<[object, string]>([
    [{}, '/userIds required'],
    [{ userIds: [] }, '/userIds too_few'],
    [{ userIds: ['u1', ''] }, '/userIds/1 too_short'],
    [{ userIds: [7] }, '/userIds/0 invalid_type'],
    [{ userIds: ['u1'], sourceIds: [] }, '/sourceIds too_few'],
    [{ userIds: ['u1'], sourceIds: ['src_none'] }, '/sourceIds/0 unknown_source'],
    [{ userIds: ['u1'], suppres: true }, '/suppres unknown_field'],
  ])('refuses %o with pointer and remedy', async ([body, fieldError]) => {
    const { status, text } = await request(body)
    expect(status).toBe(422)
    expect(errorsIn(JSON.parse(text) as ProblemDocument)).toEqual([fieldError])
  })
})

test('deletions are listed newest first, and an unknown one is not found', async () => {
  await request({ userIds: ['u1'] })
  server.clock.advance(1)
  const { body } = await request({ userIds: ['u1'] })
  const first = await server.must<{ data: Shown[]; nextCursor: string }>(
    'GET',
    '/deletions?limit=1',
  )
  expect(first.data.map(({ id }) => id)).toEqual([body.id])
  const second = await server.must<{ data: Shown[] }>(
    'GET',
    `/deletions?limit=1&cursor=${first.nextCursor}`,
  )
  expect(second.data[0]!.id < body.id).toBe(true)
  for (const path of ['/deletions/del_none', '/deletions/del_none/notices'])
    expect((await server.call('GET', path)).status).toBe(404)
  expect((await server.call('GET', `/deletions/${body.id}?format=pdf`)).status).toBe(400)
})

test.for([
  [['pending', 'delivered', 'rejected'], 'running', 'pending'],
  [['delivered', 'delivered'], 'finished', 'delivered'],
  [['delivered', 'expired'], 'partial', 'partial'],
  [['rejected'], 'partial', 'failed'],
  [[], 'finished', undefined],
] as const)('notices that are %o make a deletion %s', async ([states, state, status]) => {
  const { deletions, notices, noticeQueue } = server.backend
  const { id } = (await request({ userIds: ['u1'] })).body
  const get = () => server.must<Shown>('GET', `/deletions/${id}`)
  await deletions.advance(id, 'purge', NOON)
  expect(await get()).toMatchObject({ state: 'running' })
  await deletions.advance(id, 'notify', NOON)
  const destinationId = `dst_of_${id}`
  const subjects = states.map((_, index) => ({ kind: 'user', id: `u${index}` }) as const)
  const created = subjects.map((subject) => ({
    id: noticeId(id, destinationId, subject),
    deletionId: id,
    sourceId,
    destinationId,
    subject,
    createdAt: NOON,
    dueAt: NOON,
  }))
  await notices.create(created)
  await deletions.advance(id, 'done', NOON)
  const claim = await noticeQueue.claimUnsplit(9)
  const ended = claim.deliveries.map(({ delivery }, index) => ({
    delivery: { ...delivery, state: states[index]!, dueAt: null },
    attempts: [],
  }))
  await noticeQueue.record(ended.filter(({ delivery }) => delivery.state !== 'pending'))
  const shown = await get()
  expect(shown.state).toBe(state)
  expect(shown.notifications).toMatchObject(status === undefined ? [] : [{ destinationId, status }])
})
