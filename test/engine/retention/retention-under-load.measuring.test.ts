import { monitorEventLoopDelay } from 'node:perf_hooks'
import { createLogger } from '@hookline/server'
import { expect, test } from 'vitest'
import { Retention } from '../../../packages/server/src/upkeep/upkeep.ts'
import { clockWatchOf } from '@hookline/testing/clocks/clock-watch-of'
import { ManualClock } from '@hookline/testing/clocks/manual-clock'
import { openReceiver } from '@hookline/testing/receiver/receiver'
import { RunningWorker } from '@hookline/testing/engine/running-worker'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'
import { TestEngine } from '@hookline/testing/engine/test-engine'
import { fillArchive } from '@hookline/testing/files/fill-archive'

const DAY = 24 * 60 * 60 * 1000

test('retention removes 200,000 rows during ingest and delivery without blocking the event loop', async () => {
  using folder = new TemporaryFolder()
  fillArchive(folder, { events: 50_000, attemptsEach: 2 })
  await using receiver = await openReceiver()
  await using engine = await TestEngine.open({}, folder)
  await engine.destination('dst_live', receiver.url)
  const clock = new ManualClock(Date.now())
  const retention = new Retention({
    upkeep: engine.backend.upkeep,
    audit: engine.backend.audit,
    metrics: engine.metrics,
    clock,
    clockWatch: clockWatchOf(clock),
    logger: createLogger('silent'),
    retentionMs: 7 * DAY,
    retentionMaxBytes: 0,
    auditRetentionMs: 400 * DAY,
  })
  const removed = async () => (await engine.metrics.eventsRemoved.get()).values[0]?.value ?? 0
  const delay = monitorEventLoopDelay({ resolution: 5 })
  delay.enable()
  await using _running = new RunningWorker(retention)
  let received = 0
  while ((await removed()) < 50_000) {
    await engine.receive(5)
    received += 5
    await receiver.waitFor(Math.min(received, receiver.requests.length + 5))
  }
  delay.disable()
  // Ingest and delivery have continued in the meantime.
  expect(received).toBeGreaterThan(100)
  await receiver.waitFor(received)
  // A slice takes 8 ms, plus the commit with its disk sync.
  expect(delay.percentile(99) / 1e6).toBeLessThan(100)
})
