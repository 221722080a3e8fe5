import { pino } from 'pino'
import { expect, test } from 'vitest'
import { ActivityMonitor } from '../../src/activity/activity-monitor.ts'
import { openEmbeddedBackend } from '../../src/backend/embedded/open.ts'
import { newAudience, newDestination, newSource } from '@hookline/testing/records/catalog-records'
import { clockWatchOf } from '@hookline/testing/clocks/clock-watch-of'
import { ManualClock } from '@hookline/testing/clocks/manual-clock'
import { NO_ACTIVITY } from '@hookline/testing/engine/no-activity'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'

test('reports every change to a catalog record, regardless of its cause', async () => {
  using folder = new TemporaryFolder()
  const storage = { dataDir: folder.path, maxWaitingBytes: 1024 * 1024 }
  await using backend = await openEmbeddedBackend(storage)
  const { catalog } = backend
  const clock = new ManualClock()
  const logger = pino({ enabled: false })
  const clockWatch = clockWatchOf(clock)
  const options = { ...backend, clock, clockWatch, logger, inspector: NO_ACTIVITY }
  await using monitor = new ActivityMonitor(options)
  const topics = new Set(['changes'] as const)
  const view = { isShown: () => true, showsRequests: false }
  using reader = monitor.live.read({ topics, filter: {}, view })
  const published = (): string[] => {
    clock.advance(1_000)
    return reader
      .read(99)
      .map(({ data }) => ('resource' in data ? `${data.resource} ${data.id}` : ''))
  }
  await catalog.putAll({ sources: [newSource()], destinations: [newDestination()] })
  await catalog.putComputation(newAudience())
  expect(published()).toEqual(['sources src_a', 'destinations dst_a', 'audiences aud_a'])
  await catalog.putDestination(newDestination({ enabled: false, version: 2 }))
  expect(published()).toEqual(['destinations dst_a'])
  await catalog.removeSource('src_a')
  expect(published()).toEqual(['sources src_a', 'destinations dst_a'])
})
