import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Answer } from '../../../server/test/harness/receiver-answer.ts'
import type { FlushResult } from '../../src/queue/flushes.ts'
import {
  ClientClosedError,
  DeliveryError,
  QueueFullError,
  RejectedError,
} from '../../src/errors.ts'
import { type Exchange, openExchange } from '../harness/open-exchange.ts'
import { QuickClock } from '../harness/quick-clock.ts'

const rejected = JSON.stringify({
  success: true,
  rejected: [{ index: 0, messageId: 'm', code: 'id_required', message: 'No.' }],
})

const answer = fc.constantFrom<Answer>(
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

// The clock is a thousand times as fast: some of these run out, some do not.
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

/** The books as the test keeps them. */
class Run {
  taken = 0
  isClosed = false
  readonly flushes: Promise<FlushResult>[] = []
  readonly waitedFor: number[] = []
  readonly closes: Promise<void>[] = []
  readonly #exchange: Exchange

  constructor(exchange: Exchange) {
    this.#exchange = exchange
  }

  async take(wanted: Step): Promise<void> {
    const { analytics } = this.#exchange
    switch (wanted.do) {
      case 'track':
        for (let call = 0; call < wanted.calls; call++) this.#track()
        break
      case 'flush':
        this.waitedFor.push(analytics.stats.pending)
        this.flushes.push(analytics.flush({ timeoutMs: wanted.timeoutMs }))
        break
      case 'close':
        this.isClosed = true
        this.closes.push(analytics.close({ timeoutMs: wanted.timeoutMs }).catch(() => {}))
        break
      case 'wait':
        await new Promise((resolve) => setImmediate(resolve))
    }
    this.balance()
  }

  balance(): void {
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

test('delivered, failed, pending and dropped are what was queued, however calls, flushes, failures and closes interleave', async () => {
  const all = fc.tuple(fc.array(step, { maxLength: 25 }), fc.array(answer), options)
  await fc.assert(
    fc.asyncProperty(all, async ([steps, answers, chosen]) => {
      const respond = (_request: unknown, index: number) => answers[index] ?? 200
      const surroundings = { clock: new QuickClock(), timeoutMs: 100_000_000 }
      await using exchange = await openExchange({ respond, ...chosen, ...surroundings })
      const run = new Run(exchange)
      for (const each of steps) await run.take(each)

      const flushes = await Promise.all(run.flushes)
      for (const [index, { delivered, failed, pending }] of flushes.entries()) {
        expect(delivered + failed + pending).toBe(run.waitedFor[index])
      }
      await exchange.analytics.flush()
      await Promise.all(run.closes)
      run.balance()
      expectHonest(exchange, run)
    }),
    { numRuns: 150 },
  )
}, 120_000)

/** What the client says is what the server saw, and what `onError` was told. */
function expectHonest({ analytics, errors, events }: Exchange, { isClosed }: Run): void {
  const { failed, delivered, pending } = analytics.stats
  const reported = errors.map((error) =>
    error instanceof DeliveryError ? error.messages : error instanceof RejectedError ? 1 : 0,
  )
  expect(reported.reduce((sum, messages) => sum + messages, 0)).toBe(failed)
  if (!isClosed) expect(pending).toBe(0)
  // In the order of the calls, where a request is a repetition of the one before or goes on after it.
  const firsts = [...new Set(events)]
  expect(firsts).toEqual(firsts.toSorted((a, b) => a - b))
  expect(delivered).toBeLessThanOrEqual(firsts.length)
}
