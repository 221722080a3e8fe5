import fc from 'fast-check'
import { USERS } from './environment/simulated-events.ts'
import type { ReceiverBehaviour, ResponseMode } from './environment/receiver-behaviour.ts'

const SECOND = 1000
export const MINUTE = 60 * SECOND

/** How long a scenario injects faults. Afterwards, every receiver is healthy and every destination enabled. */
export const FAULTS_MS = 20 * MINUTE

interface ScenarioDestination {
  /** The behaviour of each webhook's receiver. */
  readonly webhooks: readonly ReceiverBehaviour[]
  readonly successPolicy: 'any' | 'each'
  /** When and how the destination is turned off for a while. */
  readonly off: {
    readonly atMs: number
    readonly forMs: number
    readonly how: 'disabled' | 'paused' | 'first webhook paused'
  } | null
  readonly removedAtMs: number | null
}

/** The plan of a simulation. Times are milliseconds since its start. */
export interface Scenario {
  /** The seed for latencies, responses and jitter. */
  readonly seed: number
  readonly limits: {
    readonly maxInFlight: number
    readonly maxConcurrencyPerWebhook: number
    readonly webhookQueueSize: number
    readonly maxInMemory: number
  }
  readonly retryWindowMs: number
  /** The maximum duration of a commit. */
  readonly commitMs: number
  readonly destinations: readonly ScenarioDestination[]
  /** `repeats` of the events have the messageId of an earlier one. */
  readonly arrivals: readonly {
    readonly atMs: number
    readonly count: number
    readonly repeats: number
  }[]
  readonly stops: readonly {
    readonly atMs: number
    readonly downMs: number
    readonly how: 'kill' | 'stop'
  }[]
  /** The number of threads for lanes. If absent or 0, lanes are not in threads. */
  readonly threads?: number
  /** Kills of single threads, numbered from 0. */
  readonly threadKills?: readonly { readonly atMs: number; readonly thread: number }[]
  /** Purges of all events received from a user so far. */
  readonly purges: readonly { readonly atMs: number; readonly user: number }[]
  /** Outages of the backend. */
  readonly outages: readonly { readonly atMs: number; readonly forMs: number }[]
}

const time = fc.integer({ min: 0, max: FAULTS_MS })
const duration = fc.oneof(
  fc.integer({ min: 0, max: 10 * SECOND }),
  fc.integer({ min: 0, max: 10 * MINUTE }),
)

const mode = fc.constantFrom<ResponseMode[]>(
  'healthy',
  'flaky',
  'failing',
  'throttling',
  'hanging',
  'refusing',
  'rejecting',
  'gone',
)

const receiverBehaviour: fc.Arbitrary<ReceiverBehaviour> = fc.record({
  phases: fc
    .array(fc.record({ fromMs: time, mode }), { maxLength: 5 })
    .map((phases) => phases.toSorted((a, b) => a.fromMs - b.fromMs))
    .map((phases) => [...phases, { fromMs: FAULTS_MS, mode: 'healthy' as const }]),
  latencyMs: fc
    .tuple(fc.integer({ min: 0, max: 100 }), fc.integer({ min: 0, max: 3000 }))
    .map(([min, more]) => ({ min, max: min + more })),
  retryAfterMs: fc.constantFrom(SECOND, 30 * SECOND, 5 * MINUTE, 60 * MINUTE),
})

const destination: fc.Arbitrary<ScenarioDestination> = fc.record({
  webhooks: fc.array(receiverBehaviour, { minLength: 1, maxLength: 3 }),
  successPolicy: fc.constantFrom('any', 'each'),
  off: fc.option(
    fc.record({
      atMs: time,
      forMs: duration,
      how: fc.constantFrom<('disabled' | 'paused' | 'first webhook paused')[]>(
        'disabled',
        'paused',
        'first webhook paused',
      ),
    }),
    { freq: 3 },
  ),
  removedAtMs: fc.option(time, { freq: 8 }),
})

/** An index into `USERS`. */
export const user = fc.nat({ max: USERS.length - 1 })

const arrival = fc.record({
  atMs: time,
  count: fc.integer({ min: 1, max: 40 }),
  repeats: fc.integer({ min: 0, max: 2 }),
})

/** With an `arrival`, `atMs` is relative to it, so that half of the stops happen during deliveries. */
const stop = fc.record({
  atMs: fc.oneof(time, fc.integer({ min: 0, max: 500 })),
  arrival: fc.option(fc.nat({ max: 9 }), { freq: 2 }),
  downMs: duration,
  how: fc.constantFrom<('kill' | 'stop')[]>('kill', 'kill', 'stop'),
})

/** Scenarios with up to four destinations and a few hundred events, and with crashes, outages and changes. */
export const scenarios: fc.Arbitrary<Scenario> = fc
  .record({
    seed: fc.nat(),
    limits: fc.record({
      maxInFlight: fc.integer({ min: 1, max: 24 }),
      maxConcurrencyPerWebhook: fc.integer({ min: 1, max: 8 }),
      webhookQueueSize: fc.integer({ min: 1, max: 24 }),
      maxInMemory: fc.constantFrom(6, 10_000),
    }),
    retryWindowMs: fc.constantFrom(5 * MINUTE, 30 * MINUTE, 4 * 60 * MINUTE),
    commitMs: fc.integer({ min: 0, max: 40 }),
    destinations: fc.array(destination, { minLength: 1, maxLength: 4 }),
    arrivals: fc.array(arrival, { minLength: 1, maxLength: 10 }),
    stops: fc.array(stop, { maxLength: 5 }),
    purges: fc.array(fc.record({ atMs: time, user }), { maxLength: 2 }),
    outages: fc.array(fc.record({ atMs: time, forMs: duration }), { maxLength: 2 }),
  })
  .map(({ stops, ...rest }) => ({
    ...rest,
    stops: stops.map(({ arrival: index, atMs, ...how }) => {
      const from = index === null ? undefined : rest.arrivals[index % rest.arrivals.length]
      return { ...how, atMs: Math.min(FAULTS_MS, (from?.atMs ?? 0) + atMs) }
    }),
  }))
