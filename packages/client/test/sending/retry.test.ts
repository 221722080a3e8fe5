import fc from 'fast-check'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { DeliveryError, RejectedError } from '../../src/errors.ts'
import { isRetryable, retryAfterMs, retryDelayMs } from '../../src/sending/retry.ts'
import { RETRY_AFTER_FORMATS } from '@hookline/testing/records/retry-after-formats'
import { openExchange } from '@hookline/testing/client/open-exchange'
import { NO_TIMEOUTS, QuickClock } from '@hookline/testing/client/quick-clock'

describe('the delay of a retry', () => {
  test('doubles from 100 ms to 30 s, reduced by up to half at random', () => {
    const longest = [1, 2, 3, 8, 9, 10, 50].map((retry) => retryDelayMs(retry, 1))
    expect(longest).toEqual([100, 200, 400, 12_800, 25_600, 30_000, 30_000])
    const shortest = [1, 2, 50].map((retry) => retryDelayMs(retry, 0))
    expect(shortest).toEqual([50, 100, 15_000])
  })

  test('is never shorter than the server requests', () => {
    const fraction = fc.double({ min: 0, max: 1, noNaN: true })
    fc.assert(
      fc.property(fc.nat({ max: 2000 }), fraction, fc.nat(), (retry, random, requested) => {
        const delayMs = retryDelayMs(retry, random, requested)
        expect(delayMs).toBeGreaterThanOrEqual(requested)
        expect(delayMs).toBeLessThanOrEqual(Math.max(requested, 30_000))
      }),
    )
  })
})

describe('Retry-After', () => {
  const nowMs = Date.parse(RETRY_AFTER_FORMATS.now)
  test.for(RETRY_AFTER_FORMATS.read)(
    '%j requests %d s, limited to the range from 0 to 300 s',
    ([header, seconds]) => {
      expect(retryAfterMs(header, nowMs)).toBe(Math.max(0, Math.min(seconds * 1000, 300_000)))
    },
  )

  test.for([...RETRY_AFTER_FORMATS.refused, undefined])('%j requests nothing', (header) => {
    expect(retryAfterMs(header, nowMs)).toBe(0)
  })

  test.for([
    ['299', 299_000],
    ['301', 300_000],
    ['999999', 300_000],
    ['9'.repeat(400), 300_000],
    ['Fri, 31 Dec 9999 23:59:59 GMT', 300_000],
  ] as const)('%j requests %i ms', ([header, ms]) => {
    expect(retryAfterMs(header, nowMs)).toBe(ms)
  })
})

describe('a batch is retried', () => {
  test.for([408, 425, 429, 500, 502, 503, 504, 599])('after %i', async (status) => {
    const respond = [status, status, 200]
    await using exchange = await openExchange({ respond, clock: new QuickClock(), ...NO_TIMEOUTS })
    exchange.track(3)
    expect(await exchange.analytics.flush()).toEqual({ delivered: 3, failed: 0, pending: 0 })
    expect(exchange.receiver.requests).toHaveLength(3)
    expect(exchange.errors).toEqual([])
  })

  test.for(['reset', 'close', 'broken-body'] as const)('after %s', async (misbehaviour) => {
    const respond = [misbehaviour, 200]
    await using exchange = await openExchange({ respond, clock: new QuickClock(), ...NO_TIMEOUTS })
    exchange.track(3)
    expect(await exchange.analytics.flush()).toEqual({ delivered: 3, failed: 0, pending: 0 })
    expect(exchange.receiver.requests).toHaveLength(2)
  })

  test.for(['silence', 'slow-headers', 'slow-body'] as const)(
    'after %s, once timeoutMs has passed',
    async (misbehaviour) => {
      await using exchange = await openExchange({ respond: [misbehaviour, 200], timeoutMs: 200 })
      exchange.track(3)
      expect(await exchange.analytics.flush()).toEqual({ delivered: 3, failed: 0, pending: 0 })
    },
  )

  test('after timeoutMs even if the fetch option ignores its signal', async () => {
    let tries = 0
    const ignoringSignal = (url: string, init: RequestInit) =>
      tries++ === 0 ? new Promise<Response>(() => {}) : fetch(url, init)
    await using exchange = await openExchange({ fetch: ignoringSignal, timeoutMs: 50 })
    exchange.track(3)
    expect(await exchange.analytics.flush()).toEqual({ delivered: 3, failed: 0, pending: 0 })
  })

  test('with the same messageIds and timestamps, so that no call is counted twice', async () => {
    const respond = [500, 'reset', 200] as const
    await using exchange = await openExchange({ respond, clock: new QuickClock(), ...NO_TIMEOUTS })
    exchange.track(3)
    await exchange.analytics.flush()
    const [first, second, third] = exchange.batches.map(({ batch }) => batch)
    expect(second).toEqual(first)
    expect(third).toEqual(first)
  })

  test('with jittered exponential backoff', async () => {
    const clock = new QuickClock()
    const respond = [503, 503, 503, 503, 200]
    await using exchange = await openExchange({ respond, clock, random: () => 0.5, ...NO_TIMEOUTS })
    exchange.track(1)
    await exchange.analytics.flush()
    expect(clock.delaysMs.filter((ms) => ms < 100_000)).toEqual([75, 150, 300, 600])
  })

  test('not before the time in Retry-After, in seconds or as a date', async () => {
    const clock = new QuickClock()
    const until = new Date(clock.now() + 300_000).toUTCString()
    const respond = [
      { status: 429, headers: { 'Retry-After': '17' } },
      { status: 503, headers: { 'Retry-After': until } },
      200,
    ]
    await using exchange = await openExchange({ respond, clock, ...NO_TIMEOUTS })
    exchange.track(1)
    await exchange.analytics.flush()
    const [seconds, date] = clock.delaysMs.filter((ms) => ms < 10_000_000)
    expect(seconds).toBe(17_000)
    expect(date).toBeGreaterThan(1_000)
  })

  test('after 300 s if Retry-After requests a longer delay, so that an excessive value does not stop the client', async () => {
    const clock = new QuickClock()
    const respond = [{ status: 503, headers: { 'Retry-After': '999999' } }, 200]
    await using exchange = await openExchange({ respond, clock, ...NO_TIMEOUTS })
    exchange.track(1)
    expect(await exchange.analytics.flush()).toEqual({ delivered: 1, failed: 0, pending: 0 })
    expect(clock.delaysMs).toContain(300_000)
    expect(clock.delaysMs).not.toContain(999_999_000)
  })

  test('maxRetries times, then fails, is reported once and counted, and the next batch is sent', async () => {
    const respond = [503, 503, 503, 200]
    const options = { maxRetries: 2, flushAt: 5, clock: new QuickClock(), ...NO_TIMEOUTS }
    await using exchange = await openExchange({ respond, ...options })
    exchange.track(10)
    expect(await exchange.analytics.flush()).toEqual({ delivered: 5, failed: 5, pending: 0 })
    expect(exchange.receiver.requests).toHaveLength(4)
    expect(exchange.errors).toEqual([expect.any(DeliveryError)])
    expect(exchange.errors[0]).toMatchObject({ messages: 5, status: 503 })
    expect(exchange.analytics.stats).toMatchObject({ delivered: 5, failed: 5, pending: 0 })
  })

  test('and fails with the network error as the cause if there was never a response', async () => {
    const options = {
      respond: 'reset',
      maxRetries: 1,
      clock: new QuickClock(),
      ...NO_TIMEOUTS,
    } as const
    await using exchange = await openExchange(options)
    exchange.track(1)
    expect(await exchange.analytics.flush()).toEqual({ delivered: 0, failed: 1, pending: 0 })
    expect(exchange.errors[0]).toMatchObject({ status: undefined, cause: expect.any(TypeError) })
  })
})

describe('a 2xx that is not a success response from Hookline', () => {
  const foreign = [
    ['a login page', { body: '<!doctype html><title>Sign in</title>' }],
    ['success: false', { body: '{"success":false}' }],
    ['success as text', { body: '{"success":"true"}' }],
    ['no success', { status: 202, body: '{"ok":true}' }],
    ['text', { body: 'ok' }],
    ['null', { body: 'null' }],
    ['a list', { body: '[{"success":true}]' }],
    ['nothing', { status: 204 }],
    ['over 2 MiB', { body: `{"success":true,"text":"${'x'.repeat(2 * 1024 * 1024)}"}` }],
  ] as const

  test.for(foreign)('%s is retried', async ([, response]) => {
    const clock = new QuickClock()
    await using exchange = await openExchange({ respond: [response, 200], clock, ...NO_TIMEOUTS })
    exchange.track(3)
    expect(await exchange.analytics.flush()).toEqual({ delivered: 3, failed: 0, pending: 0 })
    expect(exchange.receiver.requests).toHaveLength(2)
  })

  test.for(foreign)('%s is reported after the last retry', async ([, response]) => {
    const options = { maxRetries: 1, clock: new QuickClock(), ...NO_TIMEOUTS }
    await using exchange = await openExchange({ respond: response, ...options })
    exchange.track(3)
    expect(await exchange.analytics.flush()).toEqual({ delivered: 0, failed: 3, pending: 0 })
    expect(exchange.errors).toMatchObject([
      {
        messages: 3,
        status: 'status' in response ? response.status : 200,
        code: 'unexpected_response',
      },
    ])
  })
})

describe('a response larger than any from the service', () => {
  const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024, ' '))
  test.for([
    ['without end', 'endless-body'],
    ['of 64 MiB in 64 KiB of gzip', { headers: { 'Content-Encoding': 'gzip' }, body: bomb }],
  ] as const)('%s is not read in full, and the batch is retried', async ([, response]) => {
    let readBytes = 0
    const counting = async (url: string, init: RequestInit) => {
      const { body, status, headers } = await fetch(url, init)
      const count = new TransformStream<Uint8Array, Uint8Array>({
        transform(chunk, controller) {
          readBytes += chunk.length
          controller.enqueue(chunk)
        },
      })
      return new Response(body!.pipeThrough(count), { status, headers })
    }
    const clock = new QuickClock()
    const options = { respond: [response, 200], fetch: counting, clock, ...NO_TIMEOUTS }
    await using exchange = await openExchange(options)
    exchange.track(3)
    expect(await exchange.analytics.flush()).toEqual({ delivered: 3, failed: 0, pending: 0 })
    expect(readBytes).toBeLessThan(4 * 1024 * 1024)
  })

  test('does not change the meaning of its status', async () => {
    const respond = { status: 400, body: 'x'.repeat(3 * 1024 * 1024) }
    await using exchange = await openExchange({ respond })
    exchange.track(3)
    expect(await exchange.analytics.flush()).toEqual({ delivered: 0, failed: 3, pending: 0 })
    expect(exchange.receiver.requests).toHaveLength(1)
  })
})

describe('an error status is enough even if the body', () => {
  const headers = { 'Retry-After': '17', 'Content-Length': '10' }
  const head = (status: number) => `HTTP/1.1 ${status} X\r\nRetry-After: 17\r\nContent-Length: 10`
  const unreadable = [
    ['is cut off', (status: number) => ({ bytes: `${head(status)}\r\n\r\nhello` })],
    [
      'cannot be decompressed',
      (status: number) => ({
        status,
        headers: { ...headers, 'Content-Encoding': 'gzip' },
        body: 'not gzip, ',
      }),
    ],
  ] as const

  test.for(unreadable)('%s: Retry-After is respected', async ([, respond]) => {
    const clock = new QuickClock()
    await using exchange = await openExchange({
      respond: [respond(429), 200],
      clock,
      ...NO_TIMEOUTS,
    })
    exchange.track(3)
    expect(await exchange.analytics.flush()).toEqual({ delivered: 3, failed: 0, pending: 0 })
    expect(clock.delaysMs).toContain(17_000)
  })

  test.for([
    ...unreadable,
    ['hangs', (status: number) => ({ status, headers, body: 'hello' })],
  ] as const)('%s: a refused batch is not retried', async ([, respond]) => {
    await using exchange = await openExchange({ respond: [respond(401), 200], timeoutMs: 500 })
    exchange.track(3)
    expect(await exchange.analytics.flush()).toEqual({ delivered: 0, failed: 3, pending: 0 })
    expect(exchange.errors).toMatchObject([{ name: 'DeliveryError', messages: 3, status: 401 }])
    expect(exchange.receiver.requests).toHaveLength(1)
  })
})

describe('a batch is never retried', () => {
  test.for([301, 302, 400, 401, 403, 404, 405, 409, 410, 413, 422, 431])(
    'after %i',
    async (status) => {
      const body = JSON.stringify({ success: false, code: 'some_code', message: 'm' })
      const headers = { Location: '/elsewhere' }
      await using exchange = await openExchange({ respond: [{ status, headers, body }, 200] })
      exchange.track(3)
      expect(await exchange.analytics.flush()).toEqual({ delivered: 0, failed: 3, pending: 0 })
      expect(exchange.receiver.requests).toHaveLength(1)
      expect(exchange.errors).toMatchObject([
        { name: 'DeliveryError', messages: 3, status, code: 'some_code' },
      ])
    },
  )

  test('after a 202 with success', async () => {
    const respond = { status: 202, body: '{"success":true}' }
    await using exchange = await openExchange({ respond })
    exchange.track(3)
    expect(await exchange.analytics.flush()).toEqual({ delivered: 3, failed: 0, pending: 0 })
    expect(exchange.receiver.requests).toHaveLength(1)
  })
})

describe('rejected messages', () => {
  const rejected = (...indexes: number[]) =>
    indexes.map((index) => ({ index, messageId: `m${index}`, code: 'id_required', message: 'No.' }))

  test('in a 200 are reported individually with code and message; the rest of the batch is delivered', async () => {
    const body = JSON.stringify({ success: true, rejected: rejected(1, 3) })
    await using exchange = await openExchange({ respond: { body } })
    exchange.track(5)
    expect(await exchange.analytics.flush()).toEqual({ delivered: 3, failed: 2, pending: 0 })
    expect(exchange.errors).toEqual([expect.any(RejectedError), expect.any(RejectedError)])
    expect(exchange.errors).toMatchObject([
      { messageId: 'm1', code: 'id_required', message: expect.stringContaining('No.') },
      { messageId: 'm3', code: 'id_required' },
    ])
  })

  test('in a 400 are reported individually, and the rest of the batch together', async () => {
    const body = JSON.stringify({ success: false, code: 'c', rejected: rejected(0, 4) })
    await using exchange = await openExchange({ respond: { status: 400, body } })
    exchange.track(5)
    expect(await exchange.analytics.flush()).toEqual({ delivered: 0, failed: 5, pending: 0 })
    expect(exchange.errors).toMatchObject([
      { name: 'RejectedError' },
      { name: 'RejectedError' },
      { name: 'DeliveryError', messages: 3, status: 400 },
    ])
  })

  test('that are malformed are ignored', async () => {
    const body = JSON.stringify({
      success: true,
      rejected: [null, 7, {}, ...rejected(-1, 5, 2, 2)],
    })
    await using exchange = await openExchange({ respond: { body } })
    exchange.track(5)
    expect(await exchange.analytics.flush()).toEqual({ delivered: 4, failed: 1, pending: 0 })
    expect(exchange.errors).toHaveLength(1)
  })
})

test('exactly the statuses 408, 425, 429 and 5xx are retryable', () => {
  const retryable = Array.from({ length: 500 }, (_, index) => 100 + index).filter((status) =>
    isRetryable({ status, isSuccess: true, rejected: [] }),
  )
  const serverErrors = Array.from({ length: 100 }, (_, index) => 500 + index)
  expect(retryable).toEqual([408, 425, 429, ...serverErrors])
})
