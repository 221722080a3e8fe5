import { describe, expect, test } from 'vitest'
import pino from 'pino'
import { BackendUnavailableError } from '../../src/backend/backend.ts'
import { Retention, type RetentionOptions } from '../../src/upkeep/upkeep.ts'
import { clockWatchOf } from '@hookline/testing/clocks/clock-watch-of'
import { TestEngine } from '@hookline/testing/engine/test-engine'
import { ManualClock } from '@hookline/testing/clocks/manual-clock'
import { openReceiver } from '@hookline/testing/receiver/receiver'
import { RunningWorker } from '@hookline/testing/engine/running-worker'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'
import { fillArchive } from '@hookline/testing/files/fill-archive'

const DAY = 24 * 60 * 60 * 1000

function start(
  { metrics, backend: { audit } }: TestEngine,
  upkeep: RetentionOptions['upkeep'],
  { clock = new ManualClock(), ...change }: Partial<RetentionOptions> = {},
): RunningWorker {
  const retention = new Retention({
    upkeep,
    audit,
    metrics,
    clock,
    clockWatch: clockWatchOf(clock),
    logger: pino({ level: 'silent' }),
    retentionMs: 7 * DAY,
    retentionMaxBytes: 0,
    auditRetentionMs: 400 * DAY,
    ...change,
  })
  return new RunningWorker(retention, clock)
}

describe('retention', () => {
  test('removes events beyond the age limit, once a minute', async () => {
    const clock = new ManualClock()
    await using receiver = await openReceiver()
    await using engine = await TestEngine.open({ clock })
    await engine.destination('dst_a', receiver.url)
    await engine.receive(10)
    await receiver.waitFor(10)
    await using _retention = start(engine, engine.backend.upkeep, { clock })
    await engine.settled()
    clock.advance(7 * DAY - 60_000)
    await engine.settled()
    expect(await engine.deliveries({})).toHaveLength(10)
    await engine.receive(1)
    await expect.poll(() => engine.deliveries({})).toHaveLength(11)
    clock.advance(60_001)
    await engine.settled()
    clock.advance(60_000)
    await expect.poll(() => engine.deliveries({})).toHaveLength(1)
    expect((await engine.backend.events.list({}, { limit: 99 })).data).toHaveLength(1)
    expect((await engine.metrics.eventsRemoved.get()).values[0]?.value).toBe(10)
  })

  test('ignores a forward jump of the system clock for an hour', async () => {
    const clock = new ManualClock()
    await using receiver = await openReceiver()
    await using engine = await TestEngine.open({ clock })
    await engine.destination('dst_a', receiver.url)
    await engine.receive(10)
    await expect.poll(() => engine.lanes.current.inMemory).toBe(0)
    await expect.poll(() => engine.deliveries({})).toHaveLength(10)
    await using _retention = start(engine, engine.backend.upkeep, { clock })
    await engine.settled()
    clock.jump(40 * DAY)
    clock.advance(60 * 60_000 - 60_000)
    await engine.settled()
    expect(await engine.deliveries({})).toHaveLength(10)
    await expect
      .poll(async () => {
        clock.advance(60_000)
        return engine.deliveries({})
      })
      .toHaveLength(0)
  })

  test('removes all audit log entries beyond the age limit', async () => {
    const clock = new ManualClock()
    await using engine = await TestEngine.open({ clock })
    const { audit } = engine.backend
    const actor = { id: 'tok_a', name: 'ci', role: 'editor' }
    const append = (index: number): Promise<void> =>
      audit.append({
        id: `adt_${index}`,
        at: clock.now(),
        actor,
        action: 'createSource',
        targetId: null,
        before: null,
        after: null,
        requestId: 'r1',
      })
    await Promise.all(Array.from({ length: 1200 }, (_, index) => append(index)))
    clock.advance(400 * DAY)
    await append(1200)
    await using _retention = start(engine, engine.backend.upkeep, { clock })
    const left = async (): Promise<string[]> =>
      (await audit.list({}, { limit: 2000 })).data.map(({ id }) => id)
    await engine.settled()
    expect(await left()).toHaveLength(1201)
    clock.advance(60_000)
    await expect.poll(left).toEqual(['adt_1200'])
  })

  test('removes the oldest events until the data is small enough, regardless of age', async () => {
    using folder = new TemporaryFolder()
    fillArchive(folder, { events: 5000 })
    await using engine = await TestEngine.open({}, folder)
    const { upkeep, events } = engine.backend
    const before = await upkeep.usedBytes()
    const retentionMaxBytes = Math.round(before / 2)
    await using _retention = start(engine, upkeep, { retentionMaxBytes, retentionMs: 1e15 })
    await expect.poll(() => upkeep.usedBytes()).toBeLessThanOrEqual(retentionMaxBytes)
    const left = (await events.list({}, { limit: 10_000 })).data
    expect(left.length).toBeGreaterThan(1000)
    expect(left.length).toBeLessThan(4000)
    expect(left[0]?.event.messageId).toBe('m5000')
  })

  test('retries after a failure', async () => {
    using folder = new TemporaryFolder()
    fillArchive(folder, { events: 10 })
    const clock = new ManualClock(Date.UTC(2030, 0))
    await using engine = await TestEngine.open({}, folder)
    const { upkeep, events } = engine.backend
    let failures = 1
    const flaky: RetentionOptions['upkeep'] = {
      usedBytes: () => upkeep.usedBytes(),
      removeOldest: async (slice) => {
        if (failures-- > 0) throw new BackendUnavailableError('simulated outage')
        return upkeep.removeOldest(slice)
      },
    }
    await using retention = start(engine, flaky, { clock })
    await engine.settled()
    expect((await events.list({}, { limit: 99 })).data).toHaveLength(10)
    expect(retention.failures).toHaveLength(1)
    clock.advance(2000)
    await expect.poll(async () => (await events.list({}, { limit: 99 })).data).toHaveLength(0)
  })
})
