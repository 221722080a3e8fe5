import { formatTimestamp, newId } from '@hookline/protocol'
import { expect, test } from 'vitest'
import { acceptedEvent, NOON } from '@hookline/testing/records/accepted-event'
import { newAudience } from '@hookline/testing/records/catalog-records'
import { purgeAll } from '@hookline/testing/engine/purge-all'
import { OpenAudiences } from './open-audiences.ts'
import { membersOf, plan, announcedValues } from './announced-values.ts'

async function purge(
  { backend: { deletions } }: OpenAudiences,
  ids: { readonly userIds: readonly string[]; readonly anonymousIds?: readonly string[] },
): Promise<void> {
  const id = newId('del', NOON)
  const { length } = ids.userIds
  const request = { id, createdAt: NOON, sourceIds: null, suppress: false, users: length }
  await deletions.create(request, ids)
  await purgeAll(deletions, { deletionId: id, ...ids, sourceIds: null })
}

test('profiles are built once there is a computation, and include earlier events', async () => {
  await using open = await OpenAudiences.start()
  await open.append(plan('u1', 'pro'))
  await open.settle()
  const { profiles } = open.backend
  expect(await profiles.state()).toEqual({ through: null, purges: 0 })
  expect(await profiles.count('default')).toBe(0)
  await open.put(newAudience())
  await open.settle()
  expect(await profiles.count('default')).toBe(1)
  expect(await membersOf(open)).toEqual(['u1'])
})

test('a user purged during a sync is removed, and returns with only new events', async () => {
  await using open = await OpenAudiences.start()
  const events = ['u1', 'u2'].flatMap((userId) =>
    Array.from({ length: 1_500 }, () => acceptedEvent({ userId })),
  )
  await open.backend.log.append(events)
  await open.put(
    newAudience({ condition: { event: 'Order Completed', count: { op: '>=', n: 1_500 } } }),
  )
  // The profiles are being built, and the clause is being filled.
  for (let times = 0; times < 4; times++) open.clock.advance(200)
  await purge(open, { userIds: ['u1'] })
  await open.settle()
  expect(await membersOf(open)).toEqual(['u2'])
  expect(await open.backend.profiles.find('default', 'u1')).toBeUndefined()
  await open.append({ userId: 'u1' })
  await open.settle()
  expect(await membersOf(open)).toEqual(['u2'])
  expect((await open.backend.profiles.find('default', 'u1'))!.counts).toEqual({ track: 1 })
})

test('a member who is purged and returns is announced again', async () => {
  await using open = await OpenAudiences.start()
  await open.append(plan('u1', 'pro'))
  await open.put(newAudience())
  await open.settle()
  await purge(open, { userIds: ['u1'] })
  await open.settle()
  expect(await membersOf(open)).toEqual([])
  await open.append(plan('u1', 'pro'))
  await open.settle()
  expect(await membersOf(open)).toEqual(['u1'])
  // The purge has also removed the first announcement, as one of the user's calls.
  expect(await announcedValues(open)).toEqual(['u1 true'])
})

test('members who lose an event in the purge of an anonymousId are announced as leaving, and as entering when they return', async () => {
  await using open = await OpenAudiences.start()
  const anonymousId = 'a1'
  await open.append(
    { ...plan('u1', 'pro'), anonymousId },
    { ...plan('u2', 'pro'), anonymousId: 'a2' },
  )
  await open.put(newAudience())
  await open.settle()
  await purge(open, { userIds: [], anonymousIds: ['a1', 'a2'] })
  await open.settle()
  expect(await membersOf(open)).toEqual([])
  await open.append(plan('u1', 'pro'), plan('u2', 'free'))
  await open.settle()
  expect(await membersOf(open)).toEqual(['u1'])
  const each = (userId: string) => (text: string) => text.startsWith(userId)
  const all = await announcedValues(open)
  expect(all.filter(each('u1'))).toEqual(['u1 true', 'u1 false', 'u1 true'])
  expect(all.filter(each('u2'))).toEqual(['u2 true', 'u2 false'])
})

test('retention removes no event that profiles have not read', async () => {
  await using open = await OpenAudiences.start()
  await open.put(newAudience())
  await open.settle()
  const { log, upkeep, profiles } = open.backend
  await open.append(plan('u1', 'pro'))
  for await (const entries of log.consume({ signal: new AbortController().signal })) {
    await log.ack(entries)
    break
  }
  const before = NOON + 10 * 365 * 24 * 60 * 60 * 1000
  expect(await profiles.state()).toMatchObject({ through: 0 })
  expect(await upkeep.removeOldest({ before })).toMatchObject({ removed: 0 })
  await open.settle()
  expect(await upkeep.removeOldest({ before })).toMatchObject({ removed: 1 })
  expect(await membersOf(open)).toEqual(['u1'])
  // The trait that profiles have applied remains.
  await open.append({ ...plan('u1', 'free'), timestamp: formatTimestamp(NOON - 1) })
  await open.settle()
  expect(await membersOf(open)).toEqual(['u1'])
})
