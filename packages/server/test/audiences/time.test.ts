import { formatTimestamp } from '@hookline/protocol'
import { expect, test } from 'vitest'
import { NOON } from '@hookline/testing/records/accepted-event'
import { newAudience } from '@hookline/testing/records/catalog-records'
import { OpenAudiences } from './open-audiences.ts'
import { membersOf, announcedValues } from './announced-values.ts'

const HOUR_MS = 60 * 60 * 1000
const recent = newAudience({ condition: { event: 'Order Completed', within: { hours: 6 } } })

async function opened(): Promise<OpenAudiences> {
  const open = await OpenAudiences.start()
  await open.put(recent)
  await open.append({ userId: 'u1' })
  await open.settle()
  return open
}

test('an event with a future timestamp counts from when it was received', async () => {
  await using open = await opened()
  await open.append({ userId: 'u2', timestamp: formatTimestamp(NOON + 10 * HOUR_MS) })
  await open.settle()
  expect(await membersOf(open)).toEqual(['u1', 'u2'])
  open.clock.advance(6 * HOUR_MS)
  await open.settle()
  expect(await membersOf(open)).toEqual([])
  expect((await announcedValues(open)).toSorted()).toEqual([
    'u1 false',
    'u1 true',
    'u2 false',
    'u2 true',
  ])
})

test('a clock that jumps back and forth still gives increasing timestamps and a correct result', async () => {
  await using open = await opened()
  open.clock.advance(7 * HOUR_MS)
  await open.settle()
  open.clock.advance(-5 * HOUR_MS)
  await open.append({ userId: 'u1' })
  await open.settle()
  open.clock.advance(20 * HOUR_MS)
  await open.settle()
  open.clock.advance(-30 * HOUR_MS)
  await open.append({ userId: 'u2' }, { userId: 'u1' })
  await open.settle()
  open.clock.advance(40 * HOUR_MS)
  await open.settle()
  expect(await membersOf(open)).toEqual([])
  const calls = await open.announced()
  const ofFirst = calls.filter(({ event }) => event.userId === 'u1')
  const values = ofFirst.map(({ event }) => event.traits!['big_spenders'])
  expect(values).toEqual([true, false, true, false, true, false])
  const times = ofFirst.map(({ event }) => Date.parse(event.timestamp))
  expect(times).toEqual([...new Set(times)].toSorted((a, b) => a - b))
})
