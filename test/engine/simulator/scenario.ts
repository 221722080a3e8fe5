import fc from 'fast-check'
import { USERS } from './surroundings/simulated-events.ts'
import type { Mood, Weather } from './surroundings/receiver-weather.ts'

const SECOND = 1000
export const MINUTE = 60 * SECOND

/** For how long a scenario has surprises. After that every receiver is healthy and everything is on. */
export const EVENTFUL_MS = 20 * MINUTE

interface ScenarioDestination {
  readonly webhooks: readonly Weather[]
  readonly successPolicy: 'any' | 'each'
  /** Off for a while. */
  readonly off: {
    readonly atMs: number
    readonly forMs: number
    readonly how: 'disabled' | 'paused' | 'first webhook paused'
  } | null
  readonly removedAtMs: number | null
}

/** All that is decided before a simulation begins. Times are milliseconds since its beginning. */
export interface Scenario {
  /** For latencies, answers and jitter. */
  readonly seed: number
  readonly limits: {
    readonly maxInFlight: number
    readonly laneConcurrency: number
    readonly laneWindow: number
  }
  readonly retryWindowMs: number
  /** The longest that a commit takes. */
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
  /** What was received of the user so far is removed. */
  readonly purges: readonly { readonly atMs: number; readonly user: number }[]
  /** The engine behind the ports answers nothing. */
  readonly away: readonly { readonly atMs: number; readonly forMs: number }[]
}

const moment = fc.integer({ min: 0, max: EVENTFUL_MS })
const stretch = fc.oneof(
  fc.integer({ min: 0, max: 10 * SECOND }),
  fc.integer({ min: 0, max: 10 * MINUTE }),
)

const mood = fc.constantFrom<Mood[]>(
  'healthy',
  'flaky',
  'failing',
  'throttling',
  'hanging',
  'refusing',
  'rejecting',
  'gone',
)

const weather: fc.Arbitrary<Weather> = fc.record({
  spells: fc
    .array(fc.record({ fromMs: moment, mood }), { maxLength: 5 })
    .map((spells) => spells.toSorted((a, b) => a.fromMs - b.fromMs))
    .map((spells) => [...spells, { fromMs: EVENTFUL_MS, mood: 'healthy' as const }]),
  latencyMs: fc
    .tuple(fc.integer({ min: 0, max: 100 }), fc.integer({ min: 0, max: 3000 }))
    .map(([least, more]) => ({ least, most: least + more })),
  retryAfterMs: fc.constantFrom(SECOND, 30 * SECOND, 5 * MINUTE, 60 * MINUTE),
})

const destination: fc.Arbitrary<ScenarioDestination> = fc.record({
  webhooks: fc.array(weather, { minLength: 1, maxLength: 3 }),
  successPolicy: fc.constantFrom('any', 'each'),
  off: fc.option(
    fc.record({
      atMs: moment,
      forMs: stretch,
      how: fc.constantFrom<('disabled' | 'paused' | 'first webhook paused')[]>(
        'disabled',
        'paused',
        'first webhook paused',
      ),
    }),
    { freq: 3 },
  ),
  removedAtMs: fc.option(moment, { freq: 8 }),
})

const arrival = fc.record({
  atMs: moment,
  count: fc.integer({ min: 1, max: 40 }),
  repeats: fc.integer({ min: 0, max: 2 }),
})

/** Half of them while the events of an arrival are under way: `atMs` counts from it then. */
const stop = fc.record({
  atMs: fc.oneof(moment, fc.integer({ min: 0, max: 500 })),
  arrival: fc.option(fc.nat({ max: 9 }), { freq: 2 }),
  downMs: stretch,
  how: fc.constantFrom<('kill' | 'stop')[]>('kill', 'kill', 'stop'),
})

/** Scenarios of up to four destinations and a few hundred events, with crashes, outages and changes. */
export const scenarios: fc.Arbitrary<Scenario> = fc
  .record({
    seed: fc.nat(),
    limits: fc.record({
      maxInFlight: fc.integer({ min: 1, max: 24 }),
      laneConcurrency: fc.integer({ min: 1, max: 8 }),
      laneWindow: fc.integer({ min: 1, max: 24 }),
    }),
    retryWindowMs: fc.constantFrom(5 * MINUTE, 30 * MINUTE, 4 * 60 * MINUTE),
    commitMs: fc.integer({ min: 0, max: 40 }),
    destinations: fc.array(destination, { minLength: 1, maxLength: 4 }),
    arrivals: fc.array(arrival, { minLength: 1, maxLength: 10 }),
    stops: fc.array(stop, { maxLength: 5 }),
    purges: fc.array(fc.record({ atMs: moment, user: fc.nat({ max: USERS.length - 1 }) }), {
      maxLength: 2,
    }),
    away: fc.array(fc.record({ atMs: moment, forMs: stretch }), { maxLength: 2 }),
  })
  .map(({ stops, ...rest }) => ({
    ...rest,
    stops: stops.map(({ arrival: index, atMs, ...how }) => {
      const from = index === null ? undefined : rest.arrivals[index % rest.arrivals.length]
      return { ...how, atMs: Math.min(EVENTFUL_MS, (from?.atMs ?? 0) + atMs) }
    }),
  }))
