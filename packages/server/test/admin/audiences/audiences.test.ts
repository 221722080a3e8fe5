import { BUILT_IN_SOURCE_ID } from '@hookline/protocol'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { AdminServer } from '../admin-server.ts'
import { errorsIn, type ProblemDocument } from '../problem-document.ts'

interface Audience {
  readonly id: string
  readonly key: string
  readonly condition: object | null
  readonly destinationIds: readonly string[]
  readonly createdAt: string
  readonly version: number
}

const CONDITION = { trait: 'plan', op: 'equals', value: 'pro' }

let server: AdminServer
let destinationId: string
let names = 0
beforeAll(async () => {
  server = await AdminServer.open()
  destinationId = await destination()
})
afterAll(() => server[Symbol.asyncDispose]())

async function destination(): Promise<string> {
  const source = await server.must<{ id: string }>('POST', '/sources', { body: { name: 'web' } })
  const settings = { webhookUrl: 'https://a.example' }
  const body = { sourceId: source.id, type: 'Webhooks', settings }
  return (await server.must<{ id: string }>('POST', '/destinations', { body })).id
}

const make = (body: object = {}) =>
  server.must<Audience>('POST', '/audiences', {
    body: {
      name: `Audience ${++names}`,
      destinationIds: [destinationId],
      condition: CONDITION,
      ...body,
    },
  })

const refusal = async (method: string, path: string, body?: object) => {
  const answer = await server.call<ProblemDocument>(method, path, { ...(body && { body }) })
  return [answer.status, ...errorsIn(answer.body)]
}

test('an audience gets its key from its name, and is enabled', async () => {
  const body = { name: 'New VIPs', destinationIds: [destinationId], condition: CONDITION }
  const answer = await server.call<Audience>('POST', '/audiences', { body })
  expect(answer.status).toBe(201)
  expect(answer.body).toEqual({
    id: expect.stringMatching(/^aud_[0-9a-z]{26}$/),
    name: 'New VIPs',
    key: 'new_vips',
    space: 'default',
    destinationIds: [destinationId],
    condition: CONDITION,
    manual: false,
    enabled: true,
    state: 'preparing',
    reason: 'The first sync has not finished.',
    size: 0,
    progress: null,
    sync: null,
    lastSync: null,
    reachesBackTo: null,
    createdAt: expect.any(String),
    updatedAt: expect.any(String),
    version: 1,
  })
  expect(answer.headers.get('location')).toBe(`/api/v1/audiences/${answer.body.id}`)
  expect(answer.headers.get('etag')).toBe('"1"')
  expect(await server.must('GET', `/audiences/${answer.body.id}`)).toEqual(answer.body)
})

test('audiences are listed in pages, for all spaces or one', async () => {
  await server.must('POST', '/sources', { body: { name: 'app', space: 'listed' } })
  const [first, second] = [
    await make({ space: 'listed' }),
    await make({ space: 'listed' }),
  ].toSorted((a, b) => (a.id < b.id ? -1 : 1))
  const page = await server.must<{ data: Audience[]; nextCursor: string }>(
    'GET',
    '/audiences?space=listed&limit=1',
  )
  expect(page.data).toEqual([first])
  const rest = `/audiences?space=listed&cursor=${page.nextCursor}`
  expect(await server.must('GET', rest)).toEqual({ data: [second], nextCursor: null })
  expect((await server.call('GET', '/traits')).body).toEqual({ data: [], nextCursor: null })
})

test('an alert channel cannot be a destination of an audience', async () => {
  const settings = { webhookUrl: 'https://a.example' }
  const body = { sourceId: BUILT_IN_SOURCE_ID, type: 'Webhooks', settings }
  const { id } = await server.must<{ id: string }>('POST', '/destinations', { body })
  const audience = { name: 'x', condition: CONDITION, destinationIds: [destinationId, id] }
  const expected = [422, '/destinationIds/1 not_allowed']
  expect(await refusal('POST', '/audiences', audience)).toEqual(expected)
})

test('all errors in a body are reported together, with pointers into the condition', async () => {
  const body = {
    nam: 'x',
    space: 'nowhere',
    destinationIds: [destinationId, 'dst_none'],
    condition: { and: [CONDITION, { trait: 'plan', op: 'equal', value: 1 }] },
  }
  expect(await refusal('POST', '/audiences', body)).toEqual([
    422,
    '/nam unknown_field',
    '/name required',
    '/space unknown_space',
    '/destinationIds/1 unknown_destination',
    expect.stringMatching(/^\/condition\/and\/1\/op /),
  ])
})

test.each<[string, object, string]>([
  ['no condition', {}, '/condition required'],
  [
    'both `manual: true` and a condition',
    { manual: true, condition: CONDITION },
    '/condition exclusive',
  ],
  [
    'both `manual: false` and a condition',
    { manual: false, condition: CONDITION },
    '/manual not_allowed',
  ],
  ['a condition that is not an object', { condition: 5 }, '/condition invalid_type'],
  ['a key chosen by the client', { key: 'k', condition: CONDITION }, '/key immutable'],
  ['a state', { state: 'live', condition: CONDITION }, '/state immutable'],
  [
    'a condition on an unknown audience',
    { condition: { audience: `aud_${'0'.repeat(26)}` } },
    '/condition/audience unknown_audience',
  ],
])('an audience with %s is refused', async (_what, given, fieldError) => {
  const body = { name: 'Refused', destinationIds: [], ...given }
  expect(await refusal('POST', '/audiences', body)).toEqual([422, fieldError])
})

test('a key is unique in its space, among audiences and computed traits', async () => {
  const { id } = await make({ name: 'Big Spenders' })
  const body = { name: 'big spenders', destinationIds: [], condition: CONDITION }
  const { body: problem } = await server.call<ProblemDocument>('POST', '/audiences', { body })
  expect(errorsIn(problem)).toEqual(['/name not_unique'])
  expect(problem.errors[0]!.message).toContain(id)
  const trait = { ...body, condition: undefined, compute: { fn: 'count', event: 'Order' } }
  expect(await refusal('POST', '/traits', trait)).toEqual([422, '/name not_unique'])
  await server.must('POST', '/sources', { body: { name: 'app', space: 'other' } })
  await server.must('POST', '/audiences', { body: { ...body, space: 'other' } })
})

test('of concurrent requests with the same name, one succeeds', async () => {
  const body = { name: 'At once', destinationIds: [], condition: CONDITION }
  const answers = await Promise.all(
    Array.from({ length: 5 }, () => server.call('POST', '/audiences', { body })),
  )
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
  expect(answers.filter(({ status }) => status === 422)).toHaveLength(4)
})

test('renaming keeps the key', async () => {
  const created = await make({ name: 'Old Name' })
  const changed = await server.must<Audience>('PATCH', `/audiences/${created.id}`, {
    body: { name: 'New Name' },
  })
  expect(changed).toMatchObject({ name: 'New Name', key: 'old_name', version: 2 })
})

test('a change with another version or with immutable fields is refused', async () => {
  const { id } = await make()
  const headers = { 'if-match': '"2"' }
  const answer = await server.call('PATCH', `/audiences/${id}`, { headers, body: { name: 'x' } })
  expect(answer.status).toBe(412)
  const fixed = { key: 'k', space: 'other', manual: true }
  expect(await refusal('PATCH', `/audiences/${id}`, fixed)).toEqual([
    422,
    '/key immutable',
    '/space immutable',
    '/manual immutable',
  ])
})

test('references that form a cycle are refused, and the error names the cycle', async () => {
  const first = await make({ name: 'First' })
  const second = await make({ name: 'Second', condition: { audience: first.id } })
  const body = { condition: { or: [CONDITION, { audience: second.id }] } }
  const answer = await server.call<ProblemDocument>('PATCH', `/audiences/${first.id}`, { body })
  expect(errorsIn(answer.body)).toEqual(['/condition/or/1/audience cycle'])
  expect(answer.body.errors[0]!.message).toContain('First → Second → First')
})

test('an audience cannot be removed while a condition refers to it', async () => {
  const named = await make()
  const user = await make({ condition: { not: { audience: named.id } } })
  const response = await server.call<ProblemDocument>('DELETE', `/audiences/${named.id}`)
  expect([response.status, response.body.code]).toEqual([409, 'invalid_state'])
  expect(response.body.detail).toContain(user.id)
  await server.must('PATCH', `/audiences/${user.id}`, { body: { condition: CONDITION } })
  expect((await server.call('DELETE', `/audiences/${named.id}`)).status).toBe(204)
  expect((await server.call('GET', `/audiences/${named.id}`)).status).toBe(404)
})

test('removing an audience with `announce` starts a sync, and the audience can no longer be changed', async () => {
  const { id } = await make()
  const answer = await server.call('DELETE', `/audiences/${id}?announce=true`)
  expect([answer.status, answer.body]).toMatchObject([202, { reason: 'deleted' }])
  expect(await server.must('GET', `/audiences/${id}`)).toMatchObject({
    sync: { reason: 'deleted' },
  })
  const change = await server.call<ProblemDocument>('PATCH', `/audiences/${id}`, {
    body: { name: 'x' },
  })
  expect([change.status, change.body.code]).toEqual([409, 'invalid_state'])
})

test('a removed destination is removed from its audiences', async () => {
  const other = await destination()
  const { id } = await make({ destinationIds: [destinationId, other, other] })
  await server.must('DELETE', `/destinations/${other}`)
  const shown = await server.must<Audience>('GET', `/audiences/${id}`)
  expect(shown.destinationIds).toEqual([destinationId])
  await server.must('PATCH', `/audiences/${id}`, { body: { name: 'Still valid' } })
})

test('a sync can be requested manually, but not for a disabled audience', async () => {
  const { id } = await make()
  const answer = await server.call('POST', `/audiences/${id}/sync`)
  expect([answer.status, answer.body]).toMatchObject([202, { reason: 'created' }])
  await server.must('PATCH', `/audiences/${id}`, { body: { enabled: false } })
  const response = await server.call<ProblemDocument>('POST', `/audiences/${id}/sync`)
  expect([response.status, response.body.code]).toEqual([409, 'invalid_state'])
})

test('the condition of a preview is validated', async () => {
  const preview = await server.must('POST', '/audiences/preview', {
    body: { condition: CONDITION },
  })
  // There are no profiles before the first audience, and none are counted until all events are applied.
  expect(preview).toEqual({ size: 0, isExact: false, sample: [], reachesBackTo: null })
  expect(await refusal('POST', '/audiences/preview', {})).toEqual([422, '/condition required'])
  const unknown = { condition: { computedTrait: 'none', op: '>', value: 1 } }
  expect(await refusal('POST', '/audiences/preview', unknown)).toEqual([
    422,
    '/condition/computedTrait unknown_computed_trait',
  ])
})
