import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ManualClock } from '@hookline/testing/clocks/manual-clock'
import type { Respond } from '@hookline/testing/receiver/receiver'
import { bodyOf } from '@hookline/testing/client/arrived-batches'
import { openExchange } from '@hookline/testing/client/open-exchange'
import { NO_TIMEOUTS, QuickClock } from '@hookline/testing/client/quick-clock'

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index)

describe('a batch', () => {
  test('is sent when 20 messages are waiting, in the order of the calls; the others remain', async () => {
    await using exchange = await openExchange({ clock: new ManualClock() })
    exchange.track(50)
    await exchange.receiver.waitFor(2)
    await expect.poll(() => exchange.analytics.stats.delivered).toBe(40)
    expect(exchange.batches.map(({ batch }) => batch.length)).toEqual([20, 20])
    expect(exchange.analytics.stats.pending).toBe(10)
    await exchange.analytics.flush()
    expect(exchange.batches.map(({ batch }) => batch.length)).toEqual([20, 20, 10])
    expect(exchange.events).toEqual(numbers(50))
  })

  test.for([{ flushAt: 1 }, { size: 1 }])('with %o has one call', async (options) => {
    await using exchange = await openExchange({ ...options, clock: new ManualClock() })
    exchange.track(3)
    await expect.poll(() => exchange.events).toEqual([0, 1, 2])
    expect(exchange.receiver.requests).toHaveLength(3)
  })

  test('is sent before it would exceed 500 KiB, even with fewer than 20 messages', async () => {
    await using exchange = await openExchange({ clock: new ManualClock() })
    const properties = { text: 'x'.repeat(32_000) }
    const call = { userId: 'u1', event: '7', properties }
    for (const _ of numbers(15)) exchange.analytics.track(call)
    expect(exchange.analytics.stats.pending).toBe(15)
    exchange.analytics.track(call)
    await exchange.receiver.waitFor(1)
    expect(exchange.batches[0]!.batch).toHaveLength(15)
  })

  test('never exceeds 20 messages or 500 KiB, even at close, and is as full as possible', async () => {
    const sizes = fc.array(fc.nat({ max: 31_500 }), { minLength: 1, maxLength: 80 })
    await fc.assert(
      fc.asyncProperty(sizes, async (lengths) => {
        await using exchange = await openExchange({ clock: new ManualClock() })
        for (const length of lengths) {
          const properties = { text: 'é'.repeat(length / 2) }
          exchange.analytics.track({ userId: 'u1', event: String(length), properties })
        }
        await exchange.analytics.close()
        expect(exchange.events).toEqual(lengths)
        const requests = exchange.receiver.requests.map(bodyOf)
        for (const [index, { batch }] of exchange.batches.entries()) {
          expect(batch.length).toBeLessThanOrEqual(20)
          expect(requests[index]!.length).toBeLessThanOrEqual(512_000)
          const next = exchange.batches[index + 1]?.batch[0]
          if (next === undefined || batch.length === 20) continue
          const nextBytes = Buffer.byteLength(JSON.stringify(next)) + 1
          expect(requests[index]!.length + nextBytes).toBeGreaterThan(512_000)
        }
      }),
      { numRuns: 25 },
    )
  })

  test('may be exactly maxBatchBytes long', async () => {
    await using first = await openExchange()
    first.analytics.track({ userId: 'u1', event: '1', timestamp: '2026-01-01', messageId: 'm' })
    await first.analytics.flush()
    const maxBatchBytes = bodyOf(first.receiver.requests[0]!).length
    await using second = await openExchange({ maxBatchBytes })
    second.analytics.track({ userId: 'u1', event: '1', timestamp: '2026-01-01', messageId: 'm' })
    await second.analytics.flush()
    expect(bodyOf(second.receiver.requests[0]!)).toHaveLength(maxBatchBytes)
  })

  test('is sent only once the outcome of the previous batch is final', async () => {
    let open = 0
    let maxOpen = 0
    const respond: Respond = async (_request, index) => {
      maxOpen = Math.max(maxOpen, ++open)
      await new Promise((resolve) => setImmediate(resolve))
      open--
      return index % 3 === 0 ? 503 : 200
    }
    await using exchange = await openExchange({ respond, clock: new QuickClock(), ...NO_TIMEOUTS })
    exchange.track(100)
    expect(await exchange.analytics.flush()).toMatchObject({ delivered: 100 })
    expect(maxOpen).toBe(1)
    const delivered = exchange.batches.filter((_, index) => index % 3 !== 0)
    expect(delivered.flatMap(({ batch }) => batch.map(({ event }) => Number(event)))).toEqual(
      numbers(100),
    )
  })

  test('over 1 KiB is compressed, and a smaller one is not', async () => {
    await using exchange = await openExchange()
    exchange.track(1)
    await exchange.analytics.flush()
    exchange.track(20)
    await exchange.analytics.flush()
    const [small, large] = exchange.receiver.requests
    expect(small!.headers['content-encoding']).toBeUndefined()
    expect(large!.headers['content-encoding']).toBe('gzip')
    expect(large!.body.length).toBeLessThan(bodyOf(large!).length / 2)
  })

  test('is not compressed when gzip is false', async () => {
    await using exchange = await openExchange({ gzip: false })
    exchange.track(20)
    await exchange.analytics.flush()
    expect(exchange.receiver.requests[0]!.headers['content-encoding']).toBeUndefined()
  })
})

describe('flushAfter', () => {
  /** A client with a stopped clock, and its log lines about flushes. */
  async function openTimed() {
    const flushes: string[] = []
    const logger = {
      debug: (line: string) => void (line.includes('flush') && flushes.push(line)),
      warn: () => {},
    }
    const clock = new ManualClock()
    return { clock, flushes, exchange: await openExchange({ clock, logger }) }
  }

  test('counts from the last flush; calls do not delay it', async () => {
    const { clock, flushes, exchange } = await openTimed()
    await using _ = exchange
    for (const index of numbers(5)) {
      exchange.track(1, index)
      clock.advance(900)
    }
    clock.advance(499)
    expect(flushes).toEqual([])
    clock.advance(1)
    expect(flushes).toEqual(['analytics flush by interval: 5 waiting'])
    await expect.poll(() => exchange.events).toEqual(numbers(5))
  })

  test('counts from a requested flush, or from one started by 20 calls', async () => {
    const { clock, flushes, exchange } = await openTimed()
    await using _ = exchange
    for (const calls of [1, 20]) {
      clock.advance(4_000)
      exchange.track(calls)
      await exchange.analytics.flush()
      flushes.length = 0
      exchange.track(1)
      clock.advance(4_999)
      expect(flushes).toEqual([])
      clock.advance(1)
      expect(flushes).toEqual(['analytics flush by interval: 1 waiting'])
      await exchange.analytics.flush()
    }
  })

  test('does not send the first call after a pause immediately', async () => {
    const { clock, flushes, exchange } = await openTimed()
    await using _ = exchange
    clock.advance(61_000)
    exchange.track(2)
    clock.advance(3_999)
    expect(flushes).toEqual([])
    clock.advance(1)
    expect(flushes).toEqual(['analytics flush by interval: 2 waiting'])
    await expect.poll(() => exchange.events).toEqual([0, 1])
  })

  test('sends the calls that did not fill a batch', async () => {
    const { clock, exchange } = await openTimed()
    await using _ = exchange
    exchange.track(21)
    await expect.poll(() => exchange.analytics.stats.delivered).toBe(20)
    clock.advance(5_000)
    await expect.poll(() => exchange.events).toEqual(numbers(21))
  })
})
