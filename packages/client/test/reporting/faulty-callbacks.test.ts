import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { Logger } from '../../src/client-options.ts'
import { type Exchange, openExchange } from '@hookline/testing/client/open-exchange'
import { NO_TIMEOUTS, QuickClock } from '@hookline/testing/client/quick-clock'

/** A value that neither String() nor a template literal can convert. */
const unprintable = () => Object.create(null) as object

const MISTAKES: Readonly<Record<string, () => unknown>> = {
  'throws an error': () => {
    throw new Error('mistake')
  },
  'throws a value that cannot be printed': () => {
    throw unprintable()
  },
  'throws undefined': () => {
    throw undefined
  },
  rejects: async () => {
    throw new Error('mistake')
  },
  'rejects with a value that cannot be printed': () => Promise.reject(unprintable()),
  'never resolves': () => new Promise(() => {}),
  'returns an object whose then throws': () => ({
    // oxlint-disable-next-line no-thenable -- the mistake
    get then() {
      throw new Error('mistake')
    },
  }),
}
const mistakes = Object.entries(MISTAKES)

const escaped: unknown[] = []
const onEscape = (error: unknown) => void escaped.push(error)

beforeEach(() => {
  escaped.length = 0
  process.on('unhandledRejection', onEscape).on('uncaughtException', onEscape)
  vi.spyOn(console, 'warn').mockReturnValue()
})

afterEach(() => {
  process.off('unhandledRejection', onEscape).off('uncaughtException', onEscape)
  vi.restoreAllMocks()
})

/** Produces everything that the client reports: failures, retries, rejected messages, refused batches and drops. */
async function drive(exchange: Exchange): Promise<void> {
  exchange.track(75)
  expect(await exchange.analytics.flush()).toEqual({ delivered: 39, failed: 21, pending: 0 })
  exchange.track(5, 75)
  expect(await exchange.analytics.flush()).toEqual({ delivered: 5, failed: 0, pending: 0 })
  await new Promise((resolve) => setTimeout(resolve, 5))
  expect(exchange.analytics.stats).toEqual({
    queued: 80,
    delivered: 44,
    failed: 21,
    dropped: 15,
    pending: 0,
  })
  expect(escaped).toEqual([])
}

const rejected = [{ index: 0, messageId: 'm', code: 'id_required', message: 'No.' }]
const RESPONSES = [
  503,
  'reset',
  { body: JSON.stringify({ success: true, rejected }) },
  400,
  200,
] as const

function openFaulty(options: {
  readonly logger?: Logger
  readonly onError?: () => unknown
}): Promise<Exchange> {
  const clock = new QuickClock()
  const bounds = { maxQueueMessages: 60, flushAt: 20 }
  return openExchange({ respond: RESPONSES, clock, ...NO_TIMEOUTS, ...bounds, ...options })
}

const fine = () => {}

describe('the client continues, counts every call and leaves no unhandled rejection if', () => {
  test.for(mistakes)('logger.debug %s', async ([, debug]) => {
    await using exchange = await openFaulty({ logger: { debug, warn: fine } })
    await drive(exchange)
  })

  test.for(mistakes)('logger.warn %s', async ([, warn]) => {
    await using exchange = await openFaulty({ logger: { debug: fine, warn } })
    await drive(exchange)
  })

  test.for(mistakes)('onError %s', async ([, onError]) => {
    await using exchange = await openFaulty({ onError })
    await drive(exchange)
  })

  test.for(mistakes)('every callback %s', async ([, mistake]) => {
    vi.mocked(console.warn).mockImplementation(mistake)
    const logger = { debug: mistake, warn: mistake }
    await using exchange = await openFaulty({ logger, onError: mistake })
    await drive(exchange)
  })

  test('any callback makes any of these mistakes in any call', async () => {
    const mistake = fc.constantFrom(fine, fine, ...Object.values(MISTAKES))
    await fc.assert(
      fc.asyncProperty(fc.array(mistake, { minLength: 1, maxLength: 40 }), async (sequence) => {
        let calls = 0
        const next = () => sequence[calls++ % sequence.length]!()
        await using exchange = await openFaulty({
          logger: { debug: next, warn: next },
          onError: next,
        })
        await drive(exchange)
      }),
      { numRuns: 30 },
    )
  })
})

test('a rejection of onError goes to the logger, like an exception', async () => {
  const lines: string[] = []
  const logger = { debug: fine, warn: (line: string) => lines.push(line) }
  const onError = MISTAKES['rejects']!
  await using exchange = await openExchange({ respond: [400, 200], flushAt: 1, onError, logger })
  exchange.track(2)
  expect(await exchange.analytics.flush()).toEqual({ delivered: 1, failed: 1, pending: 0 })
  await expect
    .poll(() => lines)
    .toEqual(['analytics: 1 call failed: 400', 'analytics: onError threw Error: mistake'])
})

test('a failure goes to the console if logger.warn throws', async () => {
  const logger = { debug: fine, warn: MISTAKES['throws an error']! }
  await using exchange = await openExchange({ respond: 400, logger })
  exchange.track(1)
  await exchange.analytics.flush()
  expect(console.warn).toHaveBeenCalledExactlyOnceWith('analytics: 1 call failed: 400')
})

test('a logger that makes a call for each line does not recurse endlessly', async () => {
  let lines = 0
  const debug = () => {
    lines++
    exchange.track(1, lines)
  }
  await using exchange: Exchange = await openExchange({ logger: { debug, warn: fine } })
  exchange.track(1)
  await exchange.analytics.flush()
  expect(lines).toBeLessThan(10)
  expect(escaped).toEqual([])
})

describe('the client continues if fetch', () => {
  const unreadable = (fields: object) => async () =>
    ({ status: 200, headers: new Headers(), text: async () => '', ...fields }) as Response
  const faults = [
    ...mistakes.filter(([name]) => name !== 'never resolves'),
    ['returns undefined', () => undefined],
    ['resolves with a non-numeric status', unreadable({ status: Symbol('200') })],
    ['resolves without a status', unreadable({ status: undefined })],
    [
      'resolves with headers that are not strings',
      unreadable({ status: 503, headers: { get: unprintable } }),
    ],
    ['resolves with a body that throws', unreadable({ text: MISTAKES['throws undefined'] })],
  ] as [string, () => unknown][]

  test.for(faults)('%s', async ([, fault]) => {
    let requests = 0
    const faulty = (url: string, init: RequestInit) =>
      requests++ === 0 ? (fault() as Promise<Response>) : fetch(url, init)
    const clock = new QuickClock()
    const logger = { debug: fine, warn: fine }
    await using exchange = await openExchange({ fetch: faulty, clock, logger, ...NO_TIMEOUTS })
    exchange.track(3)
    expect(await exchange.analytics.flush()).toEqual({ delivered: 3, failed: 0, pending: 0 })
    expect(requests).toBe(2)
    expect(escaped).toEqual([])
  })
})

test('rejected messages are reported even if their fields are not strings', async () => {
  const odd = { toString: null }
  const rejections = [{ index: 0, messageId: odd, code: odd, message: odd }, { index: 1 }]
  const respond = [{ body: JSON.stringify({ success: true, rejected: rejections }) }, 200]
  await using exchange = await openExchange({ respond })
  exchange.track(3)
  expect(await exchange.analytics.flush()).toEqual({ delivered: 1, failed: 2, pending: 0 })
  expect(exchange.errors).toMatchObject([{ name: 'RejectedError' }, { name: 'RejectedError' }])
  expect(escaped).toEqual([])
})
