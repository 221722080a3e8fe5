import { newId } from '@hookline/protocol'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { MISSING_CAUSES } from '../../../src/admin/events/why-missing.ts'
import { SPANS } from '../../../src/backend/statistics.ts'
import { acceptedEvent, NOON } from '@hookline/testing/records/accepted-event'
import { AdminServer, RETENTION_MS } from '../admin-server.ts'

interface Cause {
  readonly code: keyof typeof MISSING_CAUSES
  readonly message: string
  readonly remedy: string
  readonly evidence: Readonly<Record<string, unknown>>
}

let server: AdminServer
let sourceId: string
beforeEach(async () => {
  server = await AdminServer.open()
  sourceId = await makeSource()
})
afterEach(() => server[Symbol.asyncDispose]())

/** A source with a recently used key. */
async function makeSource(): Promise<string> {
  const { id, writeKeys } = await server.must<{ id: string; writeKeys: { key: string }[] }>(
    'POST',
    '/sources',
    { body: { name: 'web' } },
  )
  await server.backend.keyUses.mark(writeKeys[0]!.key, server.clock.now())
  return id
}

async function causesOf(query: string): Promise<readonly Cause[]> {
  const { causes } = await server.must<{ causes: Cause[] }>('GET', `/events/why-missing?${query}`)
  for (const { message, remedy } of causes) expect(message && remedy).toMatch(/\.$/)
  return causes
}

const codesOf = async (query: string) => (await causesOf(query)).map(({ code }) => code)

const time = (ms: number) => new Date(ms).toISOString()

async function receive(given: Parameters<typeof acceptedEvent>[0] = {}): Promise<string> {
  const event = acceptedEvent({ sourceId, at: server.clock.now(), ...given })
  await server.backend.log.append([event])
  return event.id
}

async function makeDeletion(
  given: { readonly userIds: readonly string[]; readonly anonymousIds?: readonly string[] },
  at = NOON,
): Promise<string> {
  const id = newId('del', at)
  const { userIds, anonymousIds = [] } = given
  const request = { id, createdAt: at, sourceIds: null, suppress: false, users: userIds.length }
  await server.backend.deletions.create(request, { userIds, anonymousIds })
  return id
}

test('without another possible cause, the call was not sent', async () => {
  expect(await causesOf('messageId=m-1')).toEqual([
    {
      code: 'not_sent',
      message: MISSING_CAUSES.not_sent.meaning,
      remedy: MISSING_CAUSES.not_sent.help,
      evidence: {},
    },
  ])
  expect(await codesOf('')).toEqual(['not_sent'])
})

test('a possible cause: an event with the messageId exists, with the number of its duplicates', async () => {
  const eventId = await receive({ messageId: 'm-1' })
  const lastAt = server.clock.now() + 1000
  await receive({ messageId: 'm-1', at: lastAt })
  const evidence = { eventId, sourceId, count: 1, lastAt: time(lastAt) }
  const there = [expect.objectContaining({ code: 'event_exists', evidence })]
  expect(await causesOf('messageId=m-1')).toEqual(there)
  expect(await causesOf(`eventId=${eventId}&sourceId=${sourceId}`)).toEqual(there)
})

test('a possible cause: an event with the messageId was received by another source', async () => {
  const other = await makeSource()
  const eventId = await receive({ messageId: 'm-1' })
  expect(await causesOf(`messageId=m-1&sourceId=${other}`)).toMatchObject([
    { code: 'other_source', evidence: { eventId, sourceId } },
  ])
})

test('a possible cause: the user is suppressed, in this source or in every source', async () => {
  const suppression = { kind: 'user', id: 'u1', since: NOON, deletionId: 'del_1' } as const
  await server.backend.suppressions.add([{ ...suppression, sourceId }])
  const users = [{ kind: 'user', id: 'u1', calls: 3 }] as const
  await server.backend.suppressions.countSuppressed({ sourceId, users, at: NOON + 5 })
  const [first] = await causesOf('userId=u1')
  const evidence = { since: time(NOON), count: 3, lastAt: time(NOON + 5), deletionId: 'del_1' }
  expect(first).toMatchObject({ code: 'suppressed', evidence })
  expect(await codesOf(`userId=u1&sourceId=${await makeSource()}`)).toEqual(['not_sent'])
  expect(await codesOf('userId=u2')).toEqual(['not_sent'])
  expect(await codesOf('anonymousId=u1')).toEqual(['not_sent'])
  expect(await causesOf('messageId=m-1')).toMatchObject([
    { code: 'users_suppressed', evidence: { count: 3, lastAt: time(NOON + 5) } },
    { code: 'not_sent' },
  ])
})

test('a possible cause: a deletion names the user, regardless of the other ids in it', async () => {
  const odd = ['u', 'u1', 'u10', 'u0\u{10ffff}', '\u0000', '\ue000', '🙂', 'ü']
  const id = await makeDeletion({ userIds: odd, anonymousIds: ['a1'] })
  const none = ['u0', 'u2', 'a1', '\ud7ff', '🙁', 'u1\u0000']
  for (const user of odd)
    expect(await causesOf(`userId=${encodeURIComponent(user)}`)).toMatchObject([
      { code: 'deleted', evidence: { deletionId: id, count: 0, lastAt: time(NOON) } },
      { code: 'not_sent' },
    ])
  for (const user of none)
    expect(await codesOf(`userId=${encodeURIComponent(user)}`)).toEqual(['not_sent'])
  expect(await codesOf('anonymousId=a1')).toEqual(['deleted', 'not_sent'])
})

test('a possible cause: deletions have removed events, if the user of the call is unknown', async () => {
  await receive({ userId: 'u1' })
  const deletionId = await makeDeletion({ userIds: ['u1'] })
  expect(await codesOf('messageId=m-1')).toEqual(['not_sent'])
  const { deletions } = server.backend
  await deletions.advance(deletionId, 'purge', NOON)
  await deletions.advance(deletionId, 'purge', NOON)
  await deletions.purge({ deletionId, userIds: ['u1'], sourceIds: null })
  expect(await causesOf('messageId=m-1')).toMatchObject([
    { code: 'deletions', evidence: { deletionId, count: 1 } },
    { code: 'not_sent' },
  ])
})

test('the id of an event shows whether retention has removed it', async () => {
  const at = NOON - RETENTION_MS
  expect(await codesOf(`eventId=${newId('evt', at)}`)).toEqual(['not_sent'])
  expect(await causesOf(`eventId=${newId('evt', at - 1)}`)).toMatchObject([
    { code: 'expired', evidence: { since: time(at), lastAt: time(at - 1) } },
    { code: 'not_sent' },
  ])
  expect(await codesOf('eventId=nonsense')).toEqual(['not_sent'])
})

test('a possible cause: the source is unknown, disabled, or silent for 24 hours', async () => {
  expect(await causesOf('sourceId=src_none')).toMatchObject([
    { code: 'unknown_source', evidence: { count: 1 } },
    { code: 'not_sent' },
  ])
  await server.must('PATCH', `/sources/${sourceId}`, { body: { enabled: false } })
  expect(await causesOf('messageId=m-1')).toMatchObject([
    { code: 'source_disabled', evidence: { sourceId } },
    { code: 'not_sent' },
  ])
  server.clock.advance(24 * SPANS.hour + SPANS.minute)
  expect(await causesOf(`sourceId=${sourceId}`)).toMatchObject([
    { code: 'source_disabled' },
    { code: 'source_silent', evidence: { lastAt: time(NOON) } },
    { code: 'not_sent' },
  ])
  const { id: unused } = await server.must<{ id: string }>('POST', '/sources', {
    body: { name: 'new' },
  })
  expect((await causesOf(`sourceId=${unused}`))[0]).toMatchObject({
    code: 'source_silent',
    evidence: {},
  })
})

test('a possible cause: calls were rejected in the last 24 hours, the most frequent code first', async () => {
  const row = (minutesAgo: number, counts: Record<string, number>, of = '') => ({
    span: 'minute' as const,
    start: NOON - minutesAgo * SPANS.minute,
    sourceId: of,
    destinationId: '',
    counts,
  })
  await server.backend.statistics.add([
    row(24 * 60 + 1, { 'rejected.overloaded': 100 }),
    row(90, { 'rejected.unknown_write_key': 2, 'rejected.invalid_json': 3, received: 7 }),
    row(5, {
      'rejected.unknown_write_key': 2,
      'rejected.suppressed': 9,
      'rejected.of_the_future': 1,
    }),
    row(4, { 'rejected.rate_limited': 8 }, 'src_other'),
  ])
  const causes = await causesOf(`sourceId=${sourceId}`)
  expect(causes).toMatchObject([
    {
      code: 'rejected',
      message: expect.stringContaining('unknown_write_key: The write key is missing'),
      remedy: expect.stringContaining('Use the write key'),
      evidence: {
        code: 'unknown_write_key',
        count: 4,
        lastAt: time(NOON - 5 * SPANS.minute),
      },
    },
    { code: 'rejected', evidence: { code: 'invalid_json', count: 3 } },
    { code: 'rejected', evidence: { code: 'of_the_future', count: 1 } },
    { code: 'not_sent' },
  ])
  expect((await causesOf('messageId=m-1'))[0]).toMatchObject({ evidence: { code: 'rate_limited' } })
})

test('a quarantined event may be the missing one', async () => {
  await server.backend.quarantine.add([
    { id: await receive(), reason: 'It is corrupted.', at: NOON },
  ])
  expect(await causesOf('messageId=m-9')).toMatchObject([
    { code: 'quarantined', evidence: { count: 1 } },
    { code: 'not_sent' },
  ])
})

test('a query with another parameter is refused', async () => {
  expect((await server.call('GET', '/events/why-missing?message=x')).status).toBe(400)
  expect((await server.call('GET', '/events/why-missing?userId=')).status).toBe(400)
})
