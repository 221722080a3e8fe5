import type { Condition } from '@hookline/protocol'
import { expect, test } from 'vitest'
import { acceptedEvent, NOON } from '@hookline/testing/records/accepted-event'
import { newAudience } from '@hookline/testing/records/catalog-records'
import { OpenAudiences } from './open-audiences.ts'
import { membersOf, announcedValues } from './announced-values.ts'

const HOUR_MS = 60 * 60 * 1000
const orders = (n: number): Condition => ({ event: 'Order Completed', count: { op: '==', n } })
const named = (letter: string, condition: Condition) =>
  newAudience({ id: `aud_${letter}`, name: letter, key: letter, condition })

test('a clause that must keep more facts is refilled from the archive while the others continue', async () => {
  await using open = await OpenAudiences.start()
  await open.put(named('a', orders(2)))
  await open.settle()
  // More than the clause keeps for a user: the oldest are removed.
  await open.append(...Array.from({ length: 300 }, () => ({ userId: 'u1' })))
  await open.append({ userId: 'u2' }, { userId: 'u2' })
  await open.settle()
  expect(await membersOf(open, 'aud_a')).toEqual(['u2'])
  await open.put(named('b', orders(300)))
  await open.settle()
  expect(await membersOf(open, 'aud_b')).toEqual(['u1'])
  expect(await announcedValues(open)).toEqual(['u2 true', 'u1 true'])
  const [clause] = await open.backend.facts.clauses()
  // The log also contains the identify call announced for u2.
  expect(clause).toMatchObject({
    retention: { maxCount: 301 },
    fillThrough: 303,
    filledThrough: 303,
  })
})

test('a clause is refilled for a longer window over the same events', async () => {
  await using open = await OpenAudiences.start()
  const within = (hours: number): Condition => ({ event: 'Order Completed', within: { hours } })
  await open.put(named('a', within(1)))
  await open.settle()
  await open.append({ userId: 'u1' })
  await open.settle()
  // A day later, the fact is pruned.
  open.clock.advance(25 * HOUR_MS)
  await open.settle()
  expect(await membersOf(open, 'aud_a')).toEqual([])
  await open.put(named('b', within(48)))
  await open.settle()
  expect(await membersOf(open, 'aud_b')).toEqual(['u1'])
})

test('a new clause counts every event once while it is filled and events arrive', async () => {
  await using open = await OpenAudiences.start()
  await open.put(named('a', { trait: 'plan', op: 'exists' }))
  await open.settle()
  const users = Array.from({ length: 7 }, (_, index) => `u${index}`)
  const append = (): Promise<void> =>
    open.backend.log.append(
      users.flatMap((userId) => Array.from({ length: 10 }, () => acceptedEvent({ userId }))),
    )
  // The archive returns 1,000 events per slice.
  for (let times = 0; times < 40; times++) await append()
  await open.settle()
  await open.put(named('b', orders(600)))
  for (let times = 0; times < 20; times++) {
    await append()
    open.clock.advance(100)
  }
  await open.settle()
  expect(await membersOf(open, 'aud_b')).toEqual(users)
  expect(await announcedValues(open)).toEqual(users.map((userId) => `${userId} true`))
})

test('the status shows how far a clause is filled, and how far back it reaches', async () => {
  await using open = await OpenAudiences.start()
  await open.put(named('a', { trait: 'plan', op: 'exists' }))
  await open.settle()
  const events = Array.from({ length: 5_000 }, () => acceptedEvent({ at: NOON }))
  await open.backend.log.append(events)
  await open.settle()
  const audience = { ...named('b', orders(5_000)), destinationIds: [] }
  await open.put(audience)
  const seen = new Map<number, number>()
  const { computations } = open.audiences
  await expect
    .poll(
      async () => {
        open.clock.advance(250)
        const [status] = await computations.statusesOf([audience])
        const { progress, state } = status!
        if (progress?.step === 'backfilling') seen.set(progress.done, progress.total)
        return state
      },
      { interval: 0 },
    )
    .toBe('live')
  expect([...seen.values()]).toContain(5_000)
  await open.settle()
  const [status] = await computations.statusesOf([audience])
  expect(status).toMatchObject({ state: 'live', size: 1, progress: null, reachesBackTo: NOON })
})
