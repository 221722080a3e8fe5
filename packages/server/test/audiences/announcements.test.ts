import { expect, test } from 'vitest'
import { acceptedEvent } from '@hookline/testing/records/accepted-event'
import { newAudience } from '@hookline/testing/records/catalog-records'
import { OpenAudiences } from './open-audiences.ts'
import { membersOf, plan, announcedValues } from './announced-values.ts'

async function opened(...events: Parameters<OpenAudiences['append']>): Promise<OpenAudiences> {
  const open = await OpenAudiences.start()
  if (events.length > 0) await open.append(...events)
  await open.put(newAudience())
  await open.settle()
  return open
}

test('every member is announced to an added destination, and none to a removed one', async () => {
  await using open = await opened(plan('u1', 'pro'), plan('u2', 'pro'), plan('u3', 'free'))
  await open.put(newAudience({ version: 2, destinationIds: ['dst_a', 'dst_b'] }))
  await open.settle()
  const all = ['u1 true dst_a', 'u2 true dst_a', 'u1 true dst_b', 'u2 true dst_b']
  expect(await announcedValues(open, { destinations: true })).toEqual(all)
  await open.put(newAudience({ version: 3, destinationIds: ['dst_b'] }))
  await open.settle()
  await open.append(plan('u1', 'free'))
  await open.settle()
  expect(await announcedValues(open, { destinations: true })).toEqual([...all, 'u1 false dst_b'])
})

test('a destination that is removed and added again gets every announcement, including for users who left', async () => {
  await using open = await opened(plan('u1', 'pro'), plan('u2', 'pro'))
  await open.put(newAudience({ version: 2, destinationIds: ['dst_b'] }))
  await open.settle()
  await open.append(plan('u1', 'free'))
  await open.settle()
  const before = (await announcedValues(open)).length
  for (const version of [3, 5]) {
    await open.put(newAudience({ version, destinationIds: ['dst_a', 'dst_b'] }))
    await open.settle()
    await open.put(newAudience({ version: version + 1, destinationIds: ['dst_b'] }))
    await open.settle()
  }
  const again = ['u1 false dst_a', 'u2 true dst_a']
  expect((await announcedValues(open, { destinations: true })).slice(before)).toEqual([
    ...again,
    ...again,
  ])
})

test('every member is announced to a destination added before the first sync is done', async () => {
  await using open = await OpenAudiences.start()
  await open.append(plan('u1', 'pro'))
  await open.put(newAudience())
  await open.settle()
  // As if the process had exited before the first sync was done: announcements went to dst_a only.
  const done = (await open.backend.syncs.last()).get('aud_a')!
  const open1 = { ...done, state: 'running', finishedAt: null, afterProfile: 0 } as const
  await open.backend.syncs.put(open1)
  await open.put(newAudience({ version: 2, destinationIds: ['dst_a', 'dst_b'] }))
  await open.settle()
  expect(await announcedValues(open, { destinations: true })).toEqual([
    'u1 true dst_a',
    'u1 true dst_b',
  ])
})

test('a disabled audience sends nothing, and only the differences when it is enabled again', async () => {
  await using open = await opened(plan('u1', 'pro'), plan('u2', 'pro'))
  await open.put(newAudience({ version: 2, enabled: false }))
  await open.settle()
  await open.append(plan('u1', 'free'), plan('u3', 'pro'))
  await open.settle()
  expect(await announcedValues(open)).toEqual(['u1 true', 'u2 true'])
  await open.put(newAudience({ version: 3 }))
  await open.settle()
  expect((await announcedValues(open)).slice(2).toSorted()).toEqual(['u1 false', 'u3 true'])
})

test('a user identified while the audience is disabled is announced when it is enabled again', async () => {
  await using open = await opened()
  const anonymous = { type: 'identify', userId: undefined as never, anonymousId: 'a1' } as const
  await open.append({ ...anonymous, traits: { plan: 'pro' } }, plan('u2', 'pro'))
  await open.settle()
  await open.put(newAudience({ version: 2, enabled: false }))
  await open.settle()
  await open.append({ type: 'identify', userId: 'u1', anonymousId: 'a1' })
  await open.append({ type: 'alias', userId: 'u3', previousId: 'u2' })
  await open.settle()
  expect(await announcedValues(open)).toEqual(['u2 true'])
  await open.put(newAudience({ version: 3 }))
  await open.settle()
  expect((await announcedValues(open)).toSorted()).toEqual(['u1 true', 'u2 true', 'u3 true'])
})

test('a user who leaves and enters between two evaluations causes no call', async () => {
  await using open = await opened(plan('u1', 'pro'))
  const [leaves, enters] = [1, 2].map((later) => ({
    ...plan('u1', later === 1 ? 'free' : 'pro'),
    timestamp: `2027-01-0${later}T00:00:00.000Z`,
  }))
  await open.append(leaves!, enters!)
  await open.settle()
  expect(await announcedValues(open)).toEqual(['u1 true'])
})

test('a profile without a userId is a member, and is announced when it gets one', async () => {
  await using open = await opened()
  const anonymous = { type: 'identify', userId: undefined as never, anonymousId: 'a1' } as const
  await open.append({ ...anonymous, traits: { plan: 'pro' } })
  await open.settle()
  expect(await membersOf(open)).toEqual([null])
  expect(await announcedValues(open)).toEqual([])
  await open.append({ type: 'identify', userId: 'u1', anonymousId: 'a1' })
  await open.settle()
  expect(await membersOf(open)).toEqual(['u1'])
  expect(await announcedValues(open)).toEqual(['u1 true'])
})

test('when an alias links a member and a non-member, each is announced if its value changes', async () => {
  await using open = await opened(plan('u1', 'pro'), plan('u2', 'free'))
  expect(await announcedValues(open)).toEqual(['u1 true'])
  await open.append({ type: 'alias', userId: 'u2', previousId: 'u1' })
  await open.settle()
  // The plans have the same time; the greater event id wins.
  const isMember = (await membersOf(open)).length > 0
  expect(await announcedValues(open)).toEqual(['u1 true', isMember ? 'u2 true' : 'u1 false'])
})

test('an alias of two members causes no announcement', async () => {
  await using open = await opened(plan('u1', 'pro'), plan('u2', 'pro'))
  await open.append({ type: 'alias', userId: 'u2', previousId: 'u1' })
  await open.settle()
  expect(await membersOf(open)).toEqual(['u1'])
  expect((await announcedValues(open)).toSorted()).toEqual(['u1 true', 'u2 true'])
})

test('a deletion with an announcement announces that every member left, and removes all data of the audience', async () => {
  await using open = await opened(plan('u1', 'pro'), plan('u2', 'pro'), plan('u3', 'free'))
  await open.audiences.computations.requestSync('aud_a', 'deleted')
  await open.settle()
  const all = ['u1 false', 'u1 true', 'u2 false', 'u2 true']
  expect((await announcedValues(open)).toSorted()).toEqual(all)
  expect(open.backend.catalog.current.computations.size).toBe(0)
  expect(await open.backend.memberships.sizes()).toEqual(new Map())
  expect(await open.backend.facts.clauses()).toEqual([])
  await open.append(plan('u4', 'pro'))
  await open.settle()
  expect((await announcedValues(open)).toSorted()).toEqual(all)
})

test('an audience waits until an audience it refers to has values, and announces no incorrect value', async () => {
  await using open = await OpenAudiences.start()
  // More than the archive returns per slice.
  const orders = Array.from({ length: 3_000 }, (_, n) => acceptedEvent({ userId: `u${n % 5}` }))
  await open.backend.log.append(orders)
  const buyers = newAudience({ condition: { event: 'Order Completed' } })
  const others = newAudience({
    id: 'aud_b',
    name: 'Others',
    key: 'others',
    condition: { not: { audience: 'aud_a' } },
  })
  const computations = [buyers, others]
  await open.backend.catalog.putAll({ sources: [], destinations: [], computations })
  await open.settle()
  const all = ['u0 true', 'u1 true', 'u2 true', 'u3 true', 'u4 true']
  expect((await announcedValues(open)).toSorted()).toEqual(all)
  expect(await membersOf(open, 'aud_b')).toEqual([])
})
