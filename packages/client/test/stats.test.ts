import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { ReceiverResponse } from '@hookline/testing/receiver/receiver-response'
import type { FlushResult } from '../src/sending/flushes.ts'
import { ClientClosedError, DeliveryError, QueueFullError, RejectedError } from '../src/errors.ts'
import { type Exchange, openExchange } from '@hookline/testing/client/open-exchange'
import { QuickClock } from '@hookline/testing/client/quick-clock'

const rejected = JSON.stringify({
  success: true,
  rejected: [{ index: 0, messageId: 'm', code: 'id_required', message: 'No.' }],
})

const response = fc.constantFrom<ReceiverResponse>(
  200,
  200,
  { body: rejected },
  500,
  429,
  400,
  'reset',
  'close',
)

type Step =
  | { readonly do: 'track'; readonly calls: number }
  | { readonly do: 'flush' | 'close'; readonly timeoutMs: number | undefined }
  | { readonly do: 'wait' }

// The clock is a thousand times faster, so that some of these timeouts expire and others do not.
const timeoutMs = fc.constantFrom(undefined, undefined, 1_000, 50_000)
const step = fc.oneof(
  { weight: 5, arbitrary: fc.record({ do: fc.constant('track' as const), calls: fc.nat(12) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('flush' as const), timeoutMs }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('wait' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('close' as const), timeoutMs }) },
)

const options = fc.record({
  flushAt: fc.integer({ min: 1, max: 6 }),
  maxRetries: fc.integer({ min: 0, max: 2 }),
  maxQueueMessages: fc.integer({ min: 1, max: 20 }),
  maxBatchBytes: fc.constantFrom(500, 1_000, 512_000),
  onFull: fc.constantFrom('drop-newest' as const, 'drop-oldest' as const, 'throw' as const),
})

/** Drives a client step by step and counts its calls, to compare them with `stats`. */
class Run {
  taken = 0
  isClosed = false
  readonly flushes: Promise<FlushResult>[] = []
  readonly pendingAtFlush: number[] = []
  readonly closes: Promise<void>[] = []
  readonly #exchange: Exchange

  constructor(exchange: Exchange) {
    this.#exchange = exchange
  }

  async take(next: Step): Promise<void> {
    const { analytics } = this.#exchange
    switch (next.do) {
      case 'track':
        for (let call = 0; call < next.calls; call++) this.#track()
        break
      case 'flush':
        this.pendingAtFlush.push(analytics.stats.pending)
        this.flushes.push(analytics.flush({ timeoutMs: next.timeoutMs }))
        break
      case 'close':
        this.isClosed = true
        this.closes.push(analytics.close({ timeoutMs: next.timeoutMs }).catch(() => {}))
        break
      case 'wait':
        await new Promise((resolve) => setImmediate(resolve))
    }
    this.expectBalance()
  }

  expectBalance(): void {
    const { queued, delivered, failed, dropped, pending } = this.#exchange.analytics.stats
    expect(delivered + failed + pending + dropped).toBe(queued)
    expect(queued).toBe(this.taken)
  }

  #track(): void {
    try {
      this.#exchange.track(1, this.taken)
      expect(this.isClosed).toBe(false)
      this.taken++
    } catch (error) {
      expect(error).toBeInstanceOf(this.isClosed ? ClientClosedError : QueueFullError)
    }
  }
}

test('delivered, failed, pending and dropped add up to queued, for any order of calls, flushes and closes', async () => {
  const scenario = fc.tuple(fc.array(step, { maxLength: 25 }), fc.array(response), options)
  await fc.assert(
    fc.asyncProperty(scenario, async ([steps, responses, chosen]) => {
      const respond = (_request: unknown, index: number) => responses[index] ?? 200
      const clockOptions = { clock: new QuickClock(), timeoutMs: 100_000_000 }
      await using exchange = await openExchange({ respond, ...chosen, ...clockOptions })
      const run = new Run(exchange)
      for (const each of steps) await run.take(each)

      const flushes = await Promise.all(run.flushes)
      for (const [index, { delivered, failed, pending }] of flushes.entries()) {
        expect(delivered + failed + pending).toBe(run.pendingAtFlush[index])
      }
      await exchange.analytics.flush()
      await Promise.all(run.closes)
      run.expectBalance()
      expectTrueStats(exchange, run)
    }),
    { numRuns: 150 },
  )
})

/** `stats` agrees with the errors reported to `onError` and with the messages at the receiver. */
function expectTrueStats({ analytics, errors, events }: Exchange, { isClosed }: Run): void {
  const { failed, delivered, pending } = analytics.stats
  const reported = errors.map((error) =>
    error instanceof DeliveryError ? error.messages : error instanceof RejectedError ? 1 : 0,
  )
  expect(reported.reduce((sum, messages) => sum + messages, 0)).toBe(failed)
  if (!isClosed) expect(pending).toBe(0)
  // Apart from duplicates, the messages arrive in the order of the calls.
  const firsts = [...new Set(events)]
  expect(firsts).toEqual(firsts.toSorted((a, b) => a - b))
  expect(delivered).toBeLessThanOrEqual(firsts.length)
}
