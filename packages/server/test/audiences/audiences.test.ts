import { expect, test } from 'vitest'
import { newAudience } from '@hookline/testing/records/catalog-records'
import { OpenAudiences } from './open-audiences.ts'

const DAY_MS = 24 * 60 * 60 * 1000

const announced = async (open: OpenAudiences) =>
  (await open.announced()).map(({ event }) => [event.userId, event.traits])

test('the first sync announces every member, and later changes are announced one by one', async () => {
  await using open = await OpenAudiences.start()
  await open.append(
    { type: 'identify', userId: 'u1', traits: { plan: 'pro' } },
    { type: 'identify', userId: 'u2', traits: { plan: 'free' } },
  )
  await open.put(newAudience())
  await open.settle()
  expect(await announced(open)).toEqual([['u1', { big_spenders: true }]])
  await open.append({ type: 'identify', userId: 'u2', traits: { plan: 'pro' } })
  await open.settle()
  await open.append({ type: 'identify', userId: 'u1', traits: { plan: null } })
  await open.settle()
  expect(await announced(open)).toEqual([
    ['u1', { big_spenders: true }],
    ['u2', { big_spenders: true }],
    ['u1', { big_spenders: false }],
  ])
})

test('a user leaves a sliding window as time passes, without a sync', async () => {
  await using open = await OpenAudiences.start()
  await open.append({ event: 'Order Completed', userId: 'u1' })
  const condition = {
    event: 'Order Completed',
    count: { op: '>=', n: 1 },
    within: { days: 1 },
  } as const
  await open.put(newAudience({ condition }))
  await open.settle()
  expect(await announced(open)).toEqual([['u1', { big_spenders: true }]])
  open.clock.advance(DAY_MS)
  await open.settle()
  expect(await announced(open)).toEqual([
    ['u1', { big_spenders: true }],
    ['u1', { big_spenders: false }],
  ])
})
