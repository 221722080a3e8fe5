import { afterAll, beforeAll, expect, test } from 'vitest'
import { NOON } from '@hookline/testing/records/accepted-event'
import { AdminServer } from '../admin-server.ts'
import { errorsIn, type ProblemDocument } from '../problem-document.ts'

let server: AdminServer
let audience: string
let names = 0
beforeAll(async () => {
  server = await AdminServer.open()
})
afterAll(() => server[Symbol.asyncDispose]())

const make = async (definition: object): Promise<string> => {
  const body = { name: `Audience ${++names}`, destinationIds: [], ...definition }
  return (await server.must<{ id: string }>('POST', '/audiences', { body })).id
}

const change = (id: string, body: object) =>
  server.call<ProblemDocument>('PUT', `/audiences/${id}/members`, { body })

/** Evaluates the users on the list, like the workers. */
async function evaluate(id: string): Promise<void> {
  const { evaluations } = server.backend
  const due = await evaluations.due(NOON, 1_000)
  await evaluations.commit(
    due.map(({ profileId, version, manual }) => {
      const results = manual.has(id) ? [{ computationId: id, value: true, since: NOON }] : []
      return { profileId, version, results, announcements: [], recheckAt: null }
    }),
  )
}

test('users are added to and removed from a manual audience, and become its members when evaluated', async () => {
  audience = await make({ manual: true })
  const userIds = Array.from({ length: 7 }, (_, index) => `user ${index}@a.example`)
  const added = await change(audience, { add: [...userIds, userIds[0]!] })
  expect([added.status, added.body]).toEqual([200, { added: 7, removed: 0 }])
  const removed = await change(audience, { remove: [userIds[6]!], add: [userIds[1]!] })
  expect(removed.body).toEqual({ added: 1, removed: 1 })
  await evaluate(audience)
  const since = '2026-01-15T12:00:00.000Z'
  const members = await server.must<{ data: { userId: string }[] }>(
    'GET',
    `/audiences/${audience}/members`,
  )
  expect(members.data.toSorted((a, b) => (a.userId < b.userId ? -1 : 1))).toEqual(
    userIds.slice(0, 6).map((userId) => ({ userId, since })),
  )
})

test('the list of a manual audience is returned in pages, regardless of the characters in userIds', async () => {
  const id = await make({ manual: true })
  const userIds = ['  ', 'a b', 'ä ', 'ü@x', '💥']
  await change(id, { add: userIds })
  const read: string[] = []
  let cursor = ''
  for (;;) {
    const page = await server.must<{ data: { userId: string }[]; nextCursor: string | null }>(
      'GET',
      `/audiences/${id}/list?limit=2${cursor}`,
    )
    read.push(...page.data.map(({ userId }) => userId))
    if (page.nextCursor === null) break
    cursor = `&cursor=${page.nextCursor}`
  }
  expect(read.toSorted((a, b) => (a < b ? -1 : 1))).toEqual(
    userIds.toSorted((a, b) => (a < b ? -1 : 1)),
  )
})

test('the members of an audience with a condition cannot be edited manually', async () => {
  const id = await make({ condition: { trait: 'plan', op: 'exists' } })
  const response = await change(id, { add: ['u1'] })
  expect([response.status, response.body.code]).toEqual([409, 'invalid_state'])
  expect(response.body.detail).toContain('condition')
  expect((await server.call('GET', `/audiences/${id}/list`)).status).toBe(409)
})

test.each<[string, object, string[]]>([
  ['a user in both lists', { add: ['u1', 'u2'], remove: ['u2'] }, ['/add/1 not_unique']],
  ['an empty userId', { add: [''] }, ['/add/0 too_short']],
  ['a userId with a control character', { add: ['u1', 'u\t2'] }, ['/add/1 invalid_format']],
  ['another field', { set: ['u1'] }, ['/set unknown_field']],
])('%s is refused', async (_what, body, errors) => {
  const answer = await change(audience, body)
  expect([answer.status, ...errorsIn(answer.body)]).toEqual([422, ...errors])
})

test('a userId with a control character, accepted by earlier versions, can be removed', async () => {
  expect((await change(audience, { remove: ['u\t2', 'u\0'] })).status).toBe(200)
})

test('one request changes at most 5,000 users', async () => {
  const add = Array.from({ length: 5_001 }, (_, index) => `u${index}`)
  const response = await change(audience, { add })
  expect(errorsIn(response.body)).toEqual([' too_many'])
  expect((await change(audience, { add: add.slice(1) })).status).toBe(200)
})

test('the syncs of an audience are listed', async () => {
  const sync = await server.must<object>('POST', `/audiences/${audience}/sync`)
  expect(sync).toMatchObject({
    reason: 'created',
    state: 'waiting',
    evaluated: 0,
    finishedAt: null,
  })
  expect(await server.must('GET', `/audiences/${audience}/syncs`)).toEqual({
    data: [sync],
    nextCursor: null,
  })
})
