import { expect, test } from 'vitest'
import { RecentResults } from '../../src/alerts/recent-results.ts'
import { WatchedBackend } from './watched-backend.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE

test('counts each minute once, even while minutes are folded into hours', async () => {
  await using watched = await WatchedBackend.open()
  const { clock, backend } = watched
  const results = new RecentResults({ statistics: backend.statistics, clock })
  for (let minute = 0; minute < 4 * 60; minute += 1) {
    if (minute % 7 === 0) await watched.count({ 'failed.expired': 1 })
    await results.refresh()
    clock.advance(MINUTE)
  }
  const count = () => results.countsByDestination('failed.expired').get('dst_a')?.count
  expect(count()).toBe(35)
  clock.advance(25 * HOUR)
  await results.refresh()
  expect(count()).toBeUndefined()
})

test('reads the whole day again if the last refresh was hours ago', async () => {
  await using watched = await WatchedBackend.open()
  const { clock, backend } = watched
  const results = new RecentResults({ statistics: backend.statistics, clock })
  await results.refresh()
  clock.advance(5 * HOUR)
  await watched.count({ 'attempts.5xx': 3 })
  await results.refresh()
  expect(results.of('dst_a')).toMatchObject({ attempts: 3, delivered: 0 })
})
