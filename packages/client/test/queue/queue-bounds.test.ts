import { describe, expect, test } from 'vitest'
import { ManualClock } from '@hookline/testing/clocks/manual-clock'
import type { Respond } from '@hookline/testing/receiver/receiver'
import { QueueFullError } from '../../src/errors.ts'
import { openExchange } from '@hookline/testing/client/open-exchange'
import { NO_TIMEOUTS, QuickClock } from '@hookline/testing/client/quick-clock'

/** Delays the first response until `open` is called, and responds to all later requests immediately. */
function firstDelayed(): { respond: Respond; open: () => void } {
  const { promise, resolve } = Promise.withResolvers<number>()
  return { respond: (_request, index) => (index === 0 ? promise : 200), open: () => resolve(200) }
}

describe('a full queue', () => {
  const bound = { maxQueueMessages: 10, flushAt: 4 }

  test('drops the newest calls by default; the others arrive in order', async () => {
    const { respond, open } = firstDelayed()
    await using exchange = await openExchange({ respond, ...bound })
    exchange.track(4)
    await exchange.receiver.waitFor(1)
    exchange.track(16, 4)
    expect(exchange.analytics.stats).toMatchObject({ queued: 20, dropped: 10, pending: 10 })
    open()
    expect(await exchange.analytics.flush()).toEqual({ delivered: 10, failed: 0, pending: 0 })
    expect(exchange.events).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
  })

  test('with onFull drop-oldest, drops the oldest calls that are not in flight', async () => {
    const { respond, open } = firstDelayed()
    await using exchange = await openExchange({ respond, ...bound, onFull: 'drop-oldest' })
    exchange.track(4)
    await exchange.receiver.waitFor(1)
    exchange.track(6, 4)
    const flushed = exchange.analytics.flush()
    exchange.track(10, 10)
    expect(exchange.analytics.stats).toMatchObject({ queued: 20, dropped: 10, pending: 10 })
    open()
    // The flush waited for ten calls, of which six were dropped.
    expect(await flushed).toEqual({ delivered: 4, failed: 6, pending: 0 })
    await exchange.analytics.flush()
    expect(exchange.events).toEqual([0, 1, 2, 3, 14, 15, 16, 17, 18, 19])
  })

  test('with onFull throw, throws QueueFullError and does not count the call', async () => {
    const { respond, open } = firstDelayed()
    await using exchange = await openExchange({ respond, ...bound, onFull: 'throw' })
    exchange.track(10)
    expect(() => exchange.track(1)).toThrow(QueueFullError)
    expect(exchange.analytics.stats).toMatchObject({ queued: 10, dropped: 0, pending: 10 })
    open()
    await exchange.analytics.flush()
    exchange.track(1)
  })

  test('is bounded by bytes, in-flight calls included', async () => {
    const { respond, open } = firstDelayed()
    const options = { maxQueueBytes: 100_000, onFull: 'drop-oldest' } as const
    await using exchange = await openExchange({ respond, ...options })
    const properties = { text: '完'.repeat(8_000) }
    const track = () => exchange.analytics.track({ userId: 'u1', event: '1', properties })
    for (let index = 0; index < 50; index++) track()
    expect(exchange.analytics.stats).toMatchObject({ dropped: 46, pending: 4 })
    open()
    expect(await exchange.analytics.flush()).toEqual({ delivered: 4, failed: 0, pending: 0 })
  })

  test('is sent even if flushAt was not reached', async () => {
    const options = { maxQueueBytes: 40_000, maxBatchBytes: 100_000, flushAt: 100 }
    await using exchange = await openExchange({ ...options, clock: new ManualClock() })
    const properties = { text: 'x'.repeat(30_000) }
    const track = () => exchange.analytics.track({ userId: 'u1', event: '1', properties })
    track()
    track()
    await expect.poll(() => exchange.analytics.stats).toMatchObject({ delivered: 1, dropped: 1 })
  })

  test('is reported once per burst of drops', async () => {
    const respond = [503, 503, 503, 200]
    const clock = new QuickClock()
    await using exchange = await openExchange({ respond, ...bound, clock, ...NO_TIMEOUTS })
    exchange.track(1_000)
    await exchange.analytics.flush()
    expect(exchange.errors).toMatchObject([{ name: 'DroppedError', policy: 'drop-newest' }])
    exchange.track(1_000)
    await exchange.analytics.flush()
    expect(exchange.errors).toHaveLength(2)
    expect(exchange.analytics.stats).toMatchObject({ queued: 2_000, dropped: 1_980, delivered: 20 })
  })
})
