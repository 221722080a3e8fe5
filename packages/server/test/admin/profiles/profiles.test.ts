import { expect, test } from 'vitest'
import { NOON } from '@hookline/testing/records/accepted-event'
import { AdminServer } from '../admin-server.ts'
import type { ProblemDocument } from '../problem-document.ts'

test('a profile shows ids, traits with their origins, computed traits, audiences and counts', async () => {
  await using server = await AdminServer.open()
  const make = async (path: string, body: object): Promise<string> =>
    (await server.must<{ id: string }>('POST', path, { body: { destinationIds: [], ...body } })).id
  const condition = { trait: 'plan', op: 'equals', value: 'pro' }
  const audience = await make('/audiences', { name: 'Pros', condition })
  const trait = await make('/traits', { name: 'Orders', compute: { fn: 'count', event: 'Order' } })
  const { profiles, evaluations } = server.backend
  await profiles.begin(100)
  const change = {
    position: 1,
    eventId: 'evt_a',
    messageId: 'm1',
    hasPlaceholder: false,
    sourceId: 'src_a',
    space: 'default',
    type: 'identify' as const,
    userId: 'u/1',
    anonymousId: 'a1',
    links: [{ kind: 'anonymous' as const, id: 'a1' }],
    timestamp: NOON,
    receivedAt: NOON,
    traits: { plan: 'pro', ['__proto__']: 1 },
    facts: [],
  }
  const slice = { after: 0, through: 1, changes: [change], purges: 0, at: NOON }
  expect(await profiles.apply(slice)).toBeDefined()
  const [loaded] = await evaluations.due(NOON, 10)
  const results = [
    { computationId: audience, value: true, since: NOON },
    { computationId: trait, value: 3, since: NOON },
  ]
  const { profileId, version } = loaded!
  await evaluations.commit([{ profileId, version, results, announcements: [], recheckAt: null }])
  const at = '2026-01-15T12:00:00.000Z'
  expect(await server.must('GET', '/profiles/u%2F1')).toEqual({
    space: 'default',
    userIds: ['u/1'],
    anonymousIds: ['a1'],
    links: [
      { kind: 'anonymous', id: 'a1', userId: 'u/1', at, eventId: 'evt_a', sourceId: 'src_a' },
    ],
    unlinkedIds: {
      otherUser: { count: 0, links: [] },
      limit: { count: 0, links: [] },
      placeholders: 0,
    },
    traits: expect.objectContaining({
      plan: { value: 'pro', at, eventId: 'evt_a', sourceId: 'src_a' },
    }),
    computedTraits: [{ id: trait, key: 'orders', name: 'Orders', value: 3, since: at }],
    audiences: [{ id: audience, key: 'pros', name: 'Pros', since: at }],
    counts: { identify: 1 },
    firstSeenAt: at,
    lastSeenAt: at,
  })
  expect(await server.must('GET', `/traits/${trait}/values`)).toEqual({
    data: [{ userId: 'u/1', value: 3, since: at }],
    nextCursor: null,
  })
  const other = await server.call<ProblemDocument>('GET', '/profiles/u%2F1?space=other')
  expect([other.status, other.body.detail]).toEqual([404, expect.stringContaining('space other')])
})

test('before the first audience, there are no profiles, and the response reports this', async () => {
  await using server = await AdminServer.open()
  const none = await server.call<ProblemDocument>('GET', '/profiles/u1')
  expect([none.status, none.body.code]).toEqual([404, 'not_found'])
  expect(none.body.detail).toContain('create an audience')
})
