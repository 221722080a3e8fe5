import { describe, expect, test } from 'vitest'
import type { Respond } from '@hookline/testing/receiver/receiver'
import { ClientClosedError, FlushTimeoutError } from '../../src/errors.ts'
import { openExchange } from '@hookline/testing/client/open-exchange'
import { NO_TIMEOUTS, QuickClock } from '@hookline/testing/client/quick-clock'

/** A server that responds to no request until `open` is called. */
function gate(): { respond: Respond; open: () => void } {
  const { promise, resolve } = Promise.withResolvers<number>()
  return { respond: () => promise, open: () => resolve(200) }
}

describe('flush()', () => {
  test('resolves immediately when the queue is empty', async () => {
    await using exchange = await openExchange()
    expect(await exchange.analytics.flush()).toEqual({ delivered: 0, failed: 0, pending: 0 })
    expect(exchange.receiver.requests).toEqual([])
  })

  test('waits for the batch in flight', async () => {
    const { respond, open } = gate()
    await using exchange = await openExchange({ respond })
    exchange.track(20)
    await exchange.receiver.waitFor(1)
    let isDone = false
    const flushed = exchange.analytics.flush().finally(() => (isDone = true))
    await new Promise((resolve) => setImmediate(resolve))
    expect(isDone).toBe(false)
    open()
    expect(await flushed).toEqual({ delivered: 20, failed: 0, pending: 0 })
  })

  test('waits for every call made before it when flushes overlap', async () => {
    const { respond, open } = gate()
    await using exchange = await openExchange({ respond })
    exchange.track(3)
    const first = exchange.analytics.flush()
    await exchange.receiver.waitFor(1)
    exchange.track(4)
    const second = exchange.analytics.flush()
    const third = exchange.analytics.flush()
    open()
    expect(await first).toEqual({ delivered: 3, failed: 0, pending: 0 })
    expect(await second).toEqual({ delivered: 7, failed: 0, pending: 0 })
    expect(await third).toEqual({ delivered: 7, failed: 0, pending: 0 })
    expect(exchange.events).toHaveLength(7)
  })

  test('does not wait for calls made after it', async () => {
    const { respond, open } = gate()
    await using exchange = await openExchange({
      respond: (request, index) => (index === 0 ? 200 : respond(request, index)),
    })
    exchange.track(1)
    const flushed = exchange.analytics.flush()
    exchange.track(30)
    expect(await flushed).toEqual({ delivered: 1, failed: 0, pending: 0 })
    open()
  })

  test('counts failed batches and rejected messages as failed', async () => {
    const item = { index: 0, messageId: null, code: 'c', message: 'm' }
    const respond = [400, { body: JSON.stringify({ success: true, rejected: [item] }) }]
    await using exchange = await openExchange({ respond, flushAt: 2 })
    exchange.track(4)
    expect(await exchange.analytics.flush()).toEqual({ delivered: 1, failed: 3, pending: 0 })
  })

  test('counts only its own calls in a batch with later calls', async () => {
    const { respond, open } = gate()
    const item = { index: 2, messageId: null, code: 'c', message: 'm' }
    const body = JSON.stringify({ success: true, rejected: [item] })
    await using exchange = await openExchange({
      respond: (request, index) => (index === 0 ? respond(request, index) : { body }),
    })
    exchange.track(1)
    const first = exchange.analytics.flush()
    await exchange.receiver.waitFor(1)
    exchange.track(2, 1)
    const second = exchange.analytics.flush()
    exchange.track(2, 3)
    open()
    expect(await first).toEqual({ delivered: 1, failed: 0, pending: 0 })
    expect(await second).toEqual({ delivered: 3, failed: 0, pending: 0 })
    expect(exchange.batches.map(({ batch }) => batch.length)).toEqual([1, 4])
    expect(exchange.analytics.stats).toMatchObject({ delivered: 4, failed: 1 })
  })

  test('resolves when every call that it waited for was dropped before being sent', async () => {
    const bounds = { maxMessageBytes: 300, maxQueueBytes: 300, onFull: 'drop-oldest' } as const
    await using exchange = await openExchange(bounds)
    exchange.track(1)
    const flushed = exchange.analytics.flush()
    exchange.track(1, 1)
    expect(await flushed).toEqual({ delivered: 0, failed: 1, pending: 0 })
  })

  test('resolves after timeoutMs with the number pending', async () => {
    await using exchange = await openExchange({ respond: [200, 'silence'], flushAt: 2 })
    exchange.track(5)
    const flushed = await exchange.analytics.flush({ timeoutMs: 500 })
    expect(flushed).toEqual({ delivered: 2, failed: 0, pending: 3 })
  })
})

describe('close()', () => {
  test('flushes, even during the pause before a retry', async () => {
    const clock = new QuickClock()
    await using exchange = await openExchange({ respond: [503, 503, 200], clock, ...NO_TIMEOUTS })
    exchange.track(25)
    await exchange.receiver.waitFor(1)
    await exchange.analytics.close({ timeoutMs: Infinity })
    expect(exchange.analytics.stats).toMatchObject({ delivered: 25, pending: 0 })
  })

  test('may be called twice, immediately and later', async () => {
    await using exchange = await openExchange()
    exchange.track(3)
    await Promise.all([exchange.analytics.close(), exchange.analytics.close()])
    await exchange.analytics.close()
    expect(exchange.events).toEqual([0, 1, 2])
  })

  test('makes later calls throw ClientClosedError as soon as it is called', async () => {
    await using exchange = await openExchange()
    exchange.track(1)
    const closed = exchange.analytics.close()
    expect(() => exchange.track(1)).toThrow(ClientClosedError)
    await closed
    expect(() => exchange.analytics.identify({ userId: 'u1' })).toThrow(ClientClosedError)
    expect(exchange.analytics.stats).toMatchObject({ queued: 1, delivered: 1 })
    expect(await exchange.analytics.flush()).toEqual({ delivered: 0, failed: 0, pending: 0 })
  })

  test('rejects with FlushTimeoutError and the number of undelivered messages', async () => {
    await using exchange = await openExchange({ respond: [200, 'silence'], flushAt: 2 })
    exchange.track(5)
    const error = await exchange.analytics.close({ timeoutMs: 500 }).catch((reason) => reason)
    expect(error).toBeInstanceOf(FlushTimeoutError)
    expect(error).toMatchObject({ undelivered: 3 })
    expect(exchange.analytics.stats).toMatchObject({ queued: 5, delivered: 2, pending: 3 })
    // Closing aborts the request that hung, which closes its connection.
    const { receiver } = exchange
    await expect.poll(() => receiver.connections - receiver.openConnections).toBe(1)
    expect(await exchange.analytics.flush()).toEqual({ delivered: 0, failed: 0, pending: 3 })
  })

  test('resolves the pending flushes', async () => {
    await using exchange = await openExchange({ respond: 'silence' })
    exchange.track(5)
    const flushed = exchange.analytics.flush()
    await expect(exchange.analytics.close({ timeoutMs: 50 })).rejects.toThrow(FlushTimeoutError)
    expect(await flushed).toEqual({ delivered: 0, failed: 0, pending: 5 })
  })

  test('does not reject when a batch failed permanently, because that was reported', async () => {
    await using exchange = await openExchange({ respond: 401 })
    exchange.track(5)
    await exchange.analytics.close()
    expect(exchange.errors).toMatchObject([{ messages: 5, status: 401 }])
  })

  test('is called by `await using`', async () => {
    await using exchange = await openExchange()
    {
      await using analytics = exchange.analytics
      analytics.track({ userId: 'u1', event: '1' })
    }
    expect(exchange.events).toEqual([1])
    expect(() => exchange.track(1)).toThrow(ClientClosedError)
  })
})
