import fc from 'fast-check'
import type { ReceiverBehaviour } from './environment/receiver-behaviour.ts'
import { FAULTS_MS, type Scenario, scenarios, user } from './scenario.ts'

/**
 * `fromMs` is relative to an arrival, a purge or a change to a destination, so that most kills happen during deliveries, or
 * just before a change, while the thread is being restarted.
 */
const threadKill = fc.record({
  fromMs: fc.oneof(fc.integer({ min: -350, max: 500 }), fc.integer({ min: 0, max: 5000 })),
  moment: fc.nat({ max: 30 }),
  thread: fc.nat({ max: 2 }),
})

/** The duration of a stream. */
const STREAM_MS = 1_000
const whileItLasts = fc.integer({ min: 0, max: STREAM_MS })

/**
 * Events at short intervals for a fast receiver, so that its thread usually has deliveries that are pending or being recorded,
 * including when the thread is killed or a user is purged.
 */
const stream = fc.record({
  atMs: fc.integer({ min: 0, max: FAULTS_MS - STREAM_MS }),
  everyMs: fc.integer({ min: 20, max: 40 }),
  latencyMs: fc.integer({ min: 0, max: 20 }),
  killsAfterMs: fc.array(whileItLasts, { minLength: 1, maxLength: 3 }),
  purge: fc.option(fc.record({ afterMs: whileItLasts, user }), { freq: 2 }),
})
type Stream = typeof stream extends fc.Arbitrary<infer Value> ? Value : never

/** The supervisor stops the service if a thread fails five times within a minute. */
const MAX_KILLS_OF_THREAD = 4

/** Scenarios with lanes in one or three threads, some of which are killed. Half of the scenarios have a stream. */
export const scenariosWithThreads: fc.Arbitrary<Scenario> = fc
  .record({
    scenario: scenarios,
    threads: fc.constantFrom(1, 3),
    kills: fc.array(threadKill, { maxLength: 8 }),
    streams: fc.array(stream, { maxLength: 1 }),
  })
  .map(({ scenario, threads, kills, streams }) => {
    const moments = momentsOf(scenario)
    const killsAtMoments = kills.map(({ fromMs, moment, thread }) => {
      const atMs = moments[moment % moments.length]! + fromMs
      return { atMs: Math.min(FAULTS_MS, Math.max(0, atMs)), thread: thread % threads }
    })
    // Destinations are assigned to threads in rotation, and the stream's destination is the last one.
    const thread = scenario.destinations.length % threads
    const killsInStreams = streams.flatMap(({ atMs, killsAfterMs }) =>
      killsAfterMs.map((afterMs) => ({ atMs: atMs + afterMs, thread })),
    )
    const byThread = Map.groupBy([...killsInStreams, ...killsAtMoments], (kill) => kill.thread)
    const threadKills = [...byThread.values()].flatMap((all) => all.slice(0, MAX_KILLS_OF_THREAD))
    return { ...streams.reduce(withStream, scenario), threads, threadKills }
  })

/** Adds the destination, the events and the purge of the stream. */
function withStream(scenario: Scenario, { atMs, everyMs, latencyMs, purge }: Stream): Scenario {
  const quick: ReceiverBehaviour = {
    phases: [],
    latencyMs: { min: latencyMs, max: latencyMs },
    retryAfterMs: 1_000,
  }
  const arrivals = Array.from({ length: Math.floor(STREAM_MS / everyMs) }, (_, index) => ({
    atMs: atMs + index * everyMs,
    count: 2,
    repeats: 0,
  }))
  return {
    ...scenario,
    destinations: [
      ...scenario.destinations,
      { webhooks: [quick], successPolicy: 'any', off: null, removedAtMs: null },
    ],
    arrivals: [...scenario.arrivals, ...arrivals],
    purges: [
      ...scenario.purges,
      ...(purge === null ? [] : [{ atMs: atMs + purge.afterMs, user: purge.user }]),
    ],
  }
}

/** The times of all events that concern threads. */
function momentsOf({ arrivals, purges, destinations }: Scenario): readonly number[] {
  const changes = destinations.flatMap(({ off, removedAtMs }) => [
    ...(off ? [off.atMs, off.atMs + off.forMs] : []),
    ...(removedAtMs === null ? [] : [removedAtMs]),
  ])
  return [...[...arrivals, ...purges].map(({ atMs }) => atMs), ...changes]
}
