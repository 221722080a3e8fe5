import type { WebhookLimits } from '@hookline/protocol'
import { describe, expect, test } from 'vitest'
import { AttemptSpacing } from '../../../src/delivery/lanes/attempt-spacing.ts'
import { LaneScheduler } from '../../../src/delivery/lanes/lane-scheduler.ts'
import type { Lane } from '../../../src/delivery/lanes/lane.ts'
import { OpenDeliveries, type PartTask } from '../../../src/delivery/lanes/open-delivery.ts'
import { Metrics } from '../../../src/telemetry/metrics.ts'
import { acceptedEvent } from '@hookline/testing/records/accepted-event'
import { ManualClock } from '@hookline/testing/clocks/manual-clock'

const LIMITED = { destinationId: 'dst_limited', url: 'https://limited.example/' }
const FREE = { destinationId: 'dst_free', url: 'https://free.example/' }
const SLOTS = 8
const ATTEMPT_MS = 120

interface Options {
  readonly limits?: WebhookLimits
  readonly clock?: ManualClock
  readonly spacing?: AttemptSpacing
}

/** A scheduler with attempts of 120 ms. `limits` apply to the lane LIMITED, and may change. */
class Node {
  readonly clock: ManualClock
  readonly scheduler: LaneScheduler
  limits: WebhookLimits | undefined
  isBlocked = false
  /** The times at which attempts of the lane LIMITED began. */
  readonly begun: number[] = []
  maxInFlight = 0
  begunByOthers = 0

  constructor({ limits, clock = new ManualClock(), spacing }: Options) {
    this.clock = clock
    this.limits = limits
    this.scheduler = new LaneScheduler({
      clock,
      metrics: new Metrics(),
      limits: {
        maxInFlight: SLOTS,
        laneShare: 1,
        maxConcurrencyPerWebhook: SLOTS,
        webhookQueueSize: 2_000,
        maxInMemory: 10_000,
      },
      nextAttemptAt: () => 0,
      limitsOf: ({ url }) => (url === LIMITED.url ? this.limits : undefined),
      spacing: spacing ?? new AttemptSpacing(clock),
      isBlocked: () => this.isBlocked,
      signal: new AbortController().signal,
      onSlot: (lane, task) => this.#onSlot(lane, task),
    })
  }

  add(id: typeof LIMITED, count: number): void {
    const lane = this.scheduler.lane(id)
    for (let added = 0; added < count; added++) this.scheduler.add(lane, taskOf(id))
  }

  change(limits: WebhookLimits | undefined): void {
    this.limits = limits
    this.scheduler.limitsChanged()
  }

  begunIn(ms: number): number {
    const before = this.begun.length
    this.clock.advance(ms)
    return this.begun.length - before
  }

  #onSlot(lane: Lane, task: PartTask): void {
    if (lane.id.url === LIMITED.url) this.begun.push(this.clock.now())
    else this.begunByOthers++
    this.maxInFlight = Math.max(this.maxInFlight, this.scheduler.inFlightAt(LIMITED))
    this.clock.after(ATTEMPT_MS, () => {
      this.scheduler.endAttempt(lane, task)
      lane.recorded(task)
      this.scheduler.closeIfIdle(lane)
    })
  }
}

function taskOf({ destinationId, url }: typeof LIMITED): PartTask {
  const event = acceptedEvent()
  const ids = { id: 'msg_a', eventId: event.id, destinationId }
  const times = { firstDueAt: 0, dueAt: 0 }
  const delivery = { ...ids, ...times, state: 'pending', attemptCount: 0, webhooks: [] } as const
  const open = new OpenDeliveries().add(delivery, event)
  return { open, url, origin: 'parked', isRetry: false }
}

describe('perSecond', () => {
  test('of 20 begins 20 of the waiting deliveries in each second, evenly spaced', () => {
    const node = new Node({ limits: { perSecond: 20 } })
    node.add(LIMITED, 1_500)
    for (let second = 0; second < 60; second++)
      expect(Math.abs(node.begunIn(1_000) - 20)).toBeLessThanOrEqual(1)
    expect(Math.abs(node.begun.length - 60 * 20)).toBeLessThanOrEqual(2)
    const gaps = node.begun.slice(1).map((at, index) => at - node.begun[index]!)
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(40)
  })

  test('does not delay tasks that make no attempt because the breaker is open', () => {
    const node = new Node({ limits: { perSecond: 1 } })
    node.isBlocked = true
    node.add(LIMITED, 100)
    // A lane that is alone takes four slots, for 120 ms each.
    expect(node.begunIn(2_000)).toBeGreaterThan(60)
    node.isBlocked = false
    node.add(LIMITED, 100)
    expect(node.begunIn(10_000)).toBeLessThanOrEqual(12)
  })

  test('applies to two nodes together', () => {
    const clock = new ManualClock()
    const nodes = [0, 1].map((index) => {
      const node = new Node({ clock, limits: { perSecond: 20 } })
      node.scheduler.divide({ nodes: 2, index })
      node.add(LIMITED, 1_000)
      return node
    })
    clock.advance(60_000)
    const begun = nodes.flatMap((node) => node.begun)
    expect(begun.length).toBeGreaterThanOrEqual(60 * 20 * 0.95)
    expect(begun.length).toBeLessThanOrEqual(60 * 20 * 1.05)
  })

  test('takes no slot while its lane waits, and delays no other lane', () => {
    const node = new Node({ limits: { perSecond: 1 } })
    node.add(LIMITED, 100)
    node.clock.advance(ATTEMPT_MS)
    expect(node.scheduler.inFlightAt(LIMITED)).toBe(0)
    node.add(FREE, SLOTS)
    // A lane that is alone takes at most half of the slots.
    expect(node.begunByOthers).toBe(SLOTS / 2)
    expect(node.scheduler.inFlightAt(FREE)).toBe(SLOTS / 2)
  })

  test('is kept when the lane closes between two events', () => {
    const node = new Node({ limits: { perSecond: 2 } })
    for (let event = 0; event < 10; event++) {
      node.add(LIMITED, 1)
      node.clock.advance(ATTEMPT_MS + 5)
    }
    node.clock.advance(10_000)
    const tookMs = node.begun.at(-1)! - node.begun[0]!
    expect(node.begun).toHaveLength(10)
    expect(tookMs).toBeGreaterThanOrEqual(9 * 500 - 10)
  })

  test('allows no burst after a quiet minute', () => {
    const node = new Node({ limits: { perSecond: 10 } })
    node.add(LIMITED, 1)
    node.clock.advance(60_000)
    node.add(LIMITED, 50)
    expect(node.begunIn(1_000)).toBeLessThanOrEqual(11)
  })

  test('is shared by events and deletion notices, which take turns', () => {
    const clock = new ManualClock()
    const spacing = new AttemptSpacing(clock)
    const [events, notices] = ['events', 'notices'].map(
      () => new Node({ clock, spacing, limits: { perSecond: 10 } }),
    ) as [Node, Node]
    events.add(LIMITED, 100)
    notices.add(LIMITED, 100)
    clock.advance(10_000)
    expect(events.begun.length + notices.begun.length).toBeLessThanOrEqual(102)
    expect(Math.abs(events.begun.length - notices.begun.length)).toBeLessThanOrEqual(1)
  })

  test('applies from the next attempt after a change', () => {
    const node = new Node({ limits: { perSecond: 0.5 } })
    node.add(LIMITED, 500)
    node.clock.advance(100)
    node.change({ perSecond: 20 })
    expect(node.begunIn(1_000)).toBeGreaterThanOrEqual(19)
    node.change({ perSecond: 2 })
    expect(node.begunIn(2_000)).toBeLessThanOrEqual(5)
    node.change(undefined)
    expect(node.begunIn(1_000)).toBeGreaterThan(25)
  })
})

test.for([undefined, { perSecond: 0.6 }])(
  'changing perSecond back and forth permits no additional attempts (%o)',
  (other) => {
    const node = new Node({ limits: { perSecond: 0.5 } })
    node.add(LIMITED, 500)
    // A paused webhook has no limits, and Hookline makes no attempts to it.
    for (let times = 0; times < 100; times++) {
      node.isBlocked = other === undefined
      const before = node.begun.length
      node.change(other)
      if (other === undefined) node.begun.length = before
      node.isBlocked = false
      node.change({ perSecond: 0.5 })
      node.clock.advance(100)
    }
    expect(node.begun.length).toBeLessThanOrEqual(7)
  },
)

describe('concurrency', () => {
  test('limits the attempts in flight, and a change applies from the next attempt', () => {
    const node = new Node({ limits: { concurrency: 2 } })
    node.add(LIMITED, 200)
    node.clock.advance(1_000)
    expect(node.maxInFlight).toBe(2)
    node.change({ concurrency: 3 })
    node.clock.advance(1_000)
    expect(node.maxInFlight).toBe(3)
    node.change({ concurrency: 1 })
    node.clock.advance(ATTEMPT_MS)
    node.maxInFlight = 0
    node.clock.advance(1_000)
    expect(node.maxInFlight).toBe(1)
  })

  test("is divided between the nodes, and does not raise the service's limit", () => {
    const first = new Node({ limits: { concurrency: 3 } })
    first.scheduler.divide({ nodes: 2, index: 0 })
    const second = new Node({ limits: { concurrency: 3 } })
    second.scheduler.divide({ nodes: 2, index: 1 })
    const high = new Node({ limits: { concurrency: 100 } })
    for (const node of [first, second, high]) node.add(LIMITED, 50)
    expect(first.maxInFlight).toBe(2)
    expect(second.maxInFlight).toBe(1)
    high.clock.advance(1_000)
    expect(high.maxInFlight).toBeLessThanOrEqual(SLOTS)
  })
})
