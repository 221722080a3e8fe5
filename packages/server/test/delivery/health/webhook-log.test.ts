import type { Attempt } from '@hookline/protocol'
import pino from 'pino'
import { describe, expect, test } from 'vitest'
import { snapshotOf } from '../../../src/backend/catalog.ts'
import { WebhookHealth } from '../../../src/delivery/health/webhook-health.ts'
import { WebhookLog } from '../../../src/delivery/health/webhook-log.ts'
import { newDestination, newSource } from '@hookline/testing/records/catalog-records'
import { ManualClock } from '@hookline/testing/clocks/manual-clock'

const MINUTE = 60_000
const MAX_OPEN_MS = 10_000

const delivered = { outcome: 'delivered', class: 'delivered', status: 200 } as const
const failed = { outcome: 'retry', class: 'http_5xx', status: 503 } as const
const refused = { outcome: 'rejected', class: 'http_4xx', status: 404 } as const

type Result = Pick<Attempt, 'outcome' | 'class' | 'status'>
type Line = Readonly<Record<string, unknown>> & { readonly msg: string }

/** A running log of `count` destinations with one webhook each. */
class TestLog implements Disposable {
  readonly clock = new ManualClock()
  readonly lines: Line[] = []
  /** The destination ids reported to readers of the stream. */
  readonly updated: (string | null)[] = []
  readonly health = new WebhookHealth(this.clock, { maxOpenMs: MAX_OPEN_MS })
  readonly catalog
  readonly #log
  readonly #stop = new AbortController()

  constructor(count = 1) {
    const destinations = Array.from({ length: count }, (_, index) =>
      newDestination({
        id: `dst_${index}`,
        name: `Shop ${index}`,
        settings: { webhooks: [{ url: this.#urlOf(index), headers: {} }] },
      }),
    )
    this.catalog = { current: snapshotOf([newSource({ name: 'Web' })], destinations, []) }
    const write = (line: string) => void this.lines.push(JSON.parse(line) as Line)
    const logger = pino({ level: 'debug', base: null, timestamp: false }, { write })
    this.#log = new WebhookLog({
      activity: { updated: ({ id }) => void this.updated.push(id) },
      catalog: this.catalog,
      health: this.health,
      clock: this.clock,
      logger,
    })
    void this.#log.run(this.#stop.signal)
  }

  attempt(
    result: Result,
    { index = 0, breaker }: { index?: number; breaker?: 'opened' | 'closed' } = {},
  ): void {
    this.#log.onAttempt(`dst_${index}`, { url: this.#urlOf(index), ...result }, breaker)
  }

  /** Fails attempts until the breaker opens. */
  failUntilOpen(): void {
    for (let count = 0; count < 10; count++) this.#attemptWithBreaker(failed)
  }

  /** Waits until the breaker lets a probe through, and delivers it. */
  deliverProbe(): void {
    this.clock.advance(MAX_OPEN_MS)
    this.#attemptWithBreaker(delivered)
  }

  removeDestination(index: number): void {
    const { sources, destinations } = this.catalog.current
    const kept = [...destinations.values()].filter(({ id }) => id !== `dst_${index}`)
    this.catalog.current = snapshotOf([...sources.values()], kept, [])
  }

  /** Advances the clock, by a minute by default, and lets the summary be written. */
  async minute(ms = MINUTE): Promise<void> {
    this.clock.advance(ms)
    for (let turns = 0; turns < 5; turns++) await this.clock.turn()
  }

  /** The breaker events logged since the last call. */
  breakerLines(): string[] {
    const logged = this.lines.filter(({ msg }) => msg.startsWith('webhook.breaker_'))
    for (const line of logged) this.lines.splice(this.lines.indexOf(line), 1)
    return logged.map(({ msg }) => msg.slice('webhook.breaker_'.length))
  }

  /** The events logged since the last call. */
  events(): string[] {
    return this.lines.splice(0).map(({ msg }) => msg)
  }

  [Symbol.dispose](): void {
    this.#stop.abort()
  }

  #attemptWithBreaker(result: Result): void {
    const attempt = { url: this.#urlOf(0), durationMs: 0, ...result }
    const generation = this.health.onAttempt('dst_0', attempt.url)
    const change = this.health.onResult('dst_0', attempt, { generation, now: this.clock.now() })
    this.#log.onAttempt('dst_0', attempt, change)
  }

  #urlOf(index: number): string {
    return `https://hook.example.com/TOKEN/${index}?key=secret`
  }
}

describe('a failing webhook', () => {
  test('is logged when it starts to fail, with names and without its URL', () => {
    using log = new TestLog()
    for (let count = 0; count < 500; count++) log.attempt(failed)
    expect(log.lines).toEqual([
      {
        level: 40,
        destination: 'Shop 0',
        source: 'Web',
        webhook: 'hook.example.com',
        destinationId: 'dst_0',
        class: 'http_5xx',
        status: 503,
        msg: 'webhook.failing',
      },
    ])
  })

  test('has one summary for each minute with a failed attempt', async () => {
    using log = new TestLog()
    for (let count = 0; count < 30; count++) log.attempt(failed)
    log.attempt(refused)
    log.attempt(delivered)
    await log.minute()
    expect(log.lines.slice(1)).toMatchObject([
      {
        msg: 'webhook.still_failing',
        level: 40,
        destination: 'Shop 0',
        attempts: 32,
        failed: 31,
        classes: { http_5xx: 30, http_4xx: 1 },
        class: 'http_4xx',
        status: 404,
        breaker: 'closed',
        since: '2026-01-01T00:00:00.000Z',
      },
    ])
    log.events()
    // No attempt was made, for example because the breaker is open.
    for (let minute = 0; minute < 60; minute++) await log.minute()
    expect(log.events()).toEqual([])
    log.attempt(failed)
    await log.minute()
    expect(log.events()).toEqual(['webhook.still_failing'])
  })

  test('has recovered when a minute has deliveries and no failure', async () => {
    using log = new TestLog()
    log.attempt(failed)
    await log.minute()
    log.attempt(delivered)
    log.attempt(failed)
    await log.minute()
    expect(log.events()).toEqual([
      'webhook.failing',
      'webhook.still_failing',
      'webhook.still_failing',
    ])
    log.attempt(delivered)
    await log.minute()
    expect(log.lines).toMatchObject([
      { msg: 'webhook.recovered', level: 30, destination: 'Shop 0', failingForMs: 3 * MINUTE },
    ])
    log.events()
    log.attempt(delivered)
    await log.minute()
    expect(log.events()).toEqual([])
  })

  test('has one line when its breaker opens and one when it closes', () => {
    using log = new TestLog()
    log.attempt(failed, { breaker: 'opened' })
    log.attempt(failed)
    log.attempt(delivered, { breaker: 'closed' })
    expect(log.events()).toEqual([
      'webhook.failing',
      'webhook.breaker_opened',
      'webhook.breaker_closed',
    ])
  })

  test('reports each change in its breaker to readers of the stream', () => {
    using log = new TestLog()
    log.attempt(failed, { breaker: 'opened' })
    log.attempt(failed)
    log.attempt(delivered, { breaker: 'closed' })
    expect(log.updated).toEqual(['dst_0', 'dst_0'])
  })

  test('has lines for at most one opening and one closing a minute, however often its breaker opens', async () => {
    using log = new TestLog()
    for (let minute = 0; minute < 3; minute++) {
      for (let count = 0; count < 50; count++) {
        log.attempt(failed, { breaker: 'opened' })
        log.attempt(delivered, { breaker: 'closed' })
      }
      await log.minute()
    }
    const opened = log.lines.filter(({ msg }) => msg === 'webhook.breaker_opened')
    const closed = log.lines.filter(({ msg }) => msg === 'webhook.breaker_closed')
    expect([opened.length, closed.length]).toEqual([3, 3])
  })

  test('whose breaker opens again within a minute has a line about that at the end of the minute', async () => {
    using log = new TestLog()
    log.failUntilOpen()
    log.deliverProbe()
    log.failUntilOpen()
    expect(log.breakerLines()).toEqual(['opened', 'closed'])
    await log.minute(MINUTE - MAX_OPEN_MS)
    expect(log.breakerLines()).toEqual(['opened'])
    expect(log.lines.at(-1)).toMatchObject({ msg: 'webhook.still_failing', breaker: 'open' })
    for (let minute = 0; minute < 120; minute++) await log.minute()
    log.deliverProbe()
    expect(log.breakerLines()).toEqual(['closed'])
  })

  test('whose breaker opens twelve times in two minutes has five lines about that', async () => {
    using log = new TestLog()
    for (let count = 0; count < 11; count++) {
      log.failUntilOpen()
      log.deliverProbe()
      await log.minute(0)
    }
    log.failUntilOpen()
    await log.minute(MAX_OPEN_MS)
    expect(log.breakerLines()).toEqual(['opened', 'closed', 'opened', 'closed', 'opened'])
  })

  test('whose breaker is closed manually has a line about that at the end of the minute', async () => {
    using log = new TestLog()
    log.failUntilOpen()
    const { url } = [...log.catalog.current.destinations.values()][0]!.settings.webhooks[0]!
    log.health.close('dst_0', url)
    await log.minute()
    expect(log.breakerLines()).toEqual(['opened', 'closed'])
  })

  test('has not recovered while its breaker is open, even if a late attempt was delivered', async () => {
    using log = new TestLog()
    log.failUntilOpen()
    await log.minute()
    log.events()
    log.attempt(delivered)
    await log.minute()
    expect(log.events()).toEqual([])
    log.deliverProbe()
    await log.minute(MINUTE - MAX_OPEN_MS)
    expect(log.events()).toEqual(['webhook.breaker_closed', 'webhook.recovered'])
  })

  test.for<[string, object | undefined]>([
    ['removed', undefined],
    ['paused', { paused: { since: 7, reason: 'operator' } }],
    ['disabled', { enabled: false }],
  ])('has no more lines once its destination is %s', async ([, change]) => {
    using log = new TestLog()
    log.attempt(failed)
    log.attempt(failed)
    const [destination] = log.catalog.current.destinations.values()
    log.catalog.current = snapshotOf(
      [newSource()],
      change ? [{ ...destination!, ...change }] : [],
      [],
    )
    await log.minute()
    expect(log.events()).toEqual(['webhook.failing'])
  })
})

test('of 500 failing webhooks, the 20 with the most failures have summaries, and one line covers the others', async () => {
  using log = new TestLog(500)
  for (let index = 0; index < 500; index++)
    for (let count = 0; count <= index % 250; count++) log.attempt(failed, { index })
  log.events()
  await log.minute()
  const own = log.lines.filter(({ msg }) => msg === 'webhook.still_failing')
  expect(own).toHaveLength(20)
  expect(own[0]).toMatchObject({ failed: 250 })
  expect(own.at(-1)).toMatchObject({ failed: 241 })
  expect(log.lines.slice(20)).toMatchObject([
    { msg: 'webhook.others_failing', webhooks: 480, failed: 2 * ((240 * 241) / 2) },
  ])
})

test('each webhook has one summary, even if the webhook with the oldest attempt is removed', async () => {
  using log = new TestLog(4)
  for (const index of [0, 1, 2, 3, 0, 2]) log.attempt(failed, { index })
  log.removeDestination(1)
  log.events()
  await log.minute()
  const summaries = log.lines.map(({ destination, failed: count }) => [destination, count])
  expect(summaries).toHaveLength(3)
  expect(summaries).toEqual(
    expect.arrayContaining([
      ['Shop 0', 2],
      ['Shop 2', 2],
      ['Shop 3', 1],
    ]),
  )
})

test('a working webhook is not logged', async () => {
  using log = new TestLog(2)
  log.attempt(failed, { index: 1 })
  for (let count = 0; count < 100; count++) log.attempt(delivered)
  await log.minute()
  expect(log.lines.filter((line) => line['destination'] === 'Shop 0')).toEqual([])
})
