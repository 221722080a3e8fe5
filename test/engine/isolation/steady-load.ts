import type { AcceptedEvent } from '@hookline/protocol'
import { acceptedEvent } from '@hookline/testing/records/accepted-event'
import { TestEngine } from '@hookline/testing/engine/test-engine'
import type { ReceiversProcess } from '../receivers/receivers-process.ts'
import { healthyIn, type Layout } from './layouts.ts'

const EVERY_MS = 10
/** As in the service, so that a webhook that takes 4 s to respond is slow but successful. */
const TIMEOUT_MS = 5_000
/** Time limit for deliveries after the last event. */
const ARRIVAL_MS = 5_000

export interface LoadOptions {
  readonly receivers: ReceiversProcess
  readonly layout: Layout
  readonly seconds: number
  /** Events per second for each destination. Default: as many as are delivered. */
  readonly eventsPerSecond?: number
  /** Whether the faulty webhooks misbehave. Otherwise, they respond immediately. */
  readonly isFaulty: boolean
}

export interface LoadResult {
  /** Deliveries per second to the healthy webhooks. */
  readonly rate: number
  readonly p99Ms: number
}

/** Runs a steady load on the destinations of a layout, in a new engine. */
export async function steadyLoad(options: LoadOptions): Promise<LoadResult> {
  const { receivers, eventsPerSecond } = options
  await using engine = await TestEngine.open({ sender: { timeoutMs: TIMEOUT_MS } })
  const sources = await addDestinations(engine, options)
  // Garbage of earlier loads must not be collected during this one.
  globalThis.gc?.()
  await receivers.latenciesMs()
  const started = performance.now()
  const sent =
    eventsPerSecond === undefined
      ? await asFastAsDelivered(engine, sources, options.seconds)
      : await atRate(engine, sources, { eventsPerSecond, seconds: options.seconds })
  const latencies = await receivers.latenciesMs()
  const seconds = (performance.now() - started) / 1000
  const late = await arriving(receivers, sent * healthyIn(options.layout) - latencies.length)
  return { rate: latencies.length / seconds, p99Ms: p99([...latencies, ...late]) }
}

/** The latencies of outstanding deliveries. Deliveries that do not arrive in time count as ARRIVAL_MS. */
async function arriving(receivers: ReceiversProcess, count: number): Promise<readonly number[]> {
  const arrived: number[] = []
  const end = performance.now() + ARRIVAL_MS
  while (arrived.length < count && performance.now() < end) {
    await new Promise((resolve) => setTimeout(resolve, EVERY_MS))
    arrived.push(...(await receivers.latenciesMs()))
  }
  return [...arrived, ...Array<number>(Math.max(0, count - arrived.length)).fill(ARRIVAL_MS)]
}

/** Returns the ids of the sources. */
async function addDestinations(
  engine: TestEngine,
  { receivers, layout, isFaulty }: LoadOptions,
): Promise<readonly string[]> {
  const pathOf = (name: string): string =>
    name in layout.faulty ? (isFaulty ? layout.faulty[name]! : `answering/${name}`) : name
  const sources = layout.destinations.map((_, index) => `src_${index}`)
  for (const [index, names] of layout.destinations.entries()) {
    const webhooks = names.map((name) => ({ url: receivers.urlOf(pathOf(name)), headers: {} }))
    await engine.destination(`dst_${index}`, webhooks[0]!.url, {
      sourceId: sources[index]!,
      // Each webhook gets every event, so failures are retried.
      settings: { sharedSecret: null, webhooks, successPolicy: 'each' },
    })
  }
  return sources
}

/** Returns the number of events per source. */
async function asFastAsDelivered(
  engine: TestEngine,
  sources: readonly string[],
  seconds: number,
): Promise<number> {
  const end = performance.now() + seconds * 1000
  let sent = 0
  while (performance.now() < end) {
    const events = Array.from({ length: 8 }, () =>
      sources.map((id) => event(id, performance.now())),
    )
    await engine.backend.log.append(events.flat())
    sent += events.length
    // More deliveries in memory would only wait.
    while (engine.lanes.current.inMemory > 200)
      await new Promise((resolve) => setImmediate(resolve))
  }
  return sent
}

/**
 * Appends events when they are due, without waiting for the disk. Latency is measured from the due time. Returns the number of
 * events per source.
 */
async function atRate(
  engine: TestEngine,
  sources: readonly string[],
  load: { readonly eventsPerSecond: number; readonly seconds: number },
): Promise<number> {
  const started = performance.now()
  const intervalMs = 1000 / load.eventsPerSecond
  const appended: Promise<void>[] = []
  let next = 0
  for (let elapsedMs = 0; elapsedMs < load.seconds * 1000;) {
    const events: AcceptedEvent[] = []
    for (; next * intervalMs < elapsedMs; next++)
      for (const id of sources) events.push(event(id, started + next * intervalMs))
    appended.push(engine.backend.log.append(events))
    await new Promise((resolve) => setTimeout(resolve, EVERY_MS))
    elapsedMs = performance.now() - started
  }
  await Promise.all(appended)
  return next
}

function event(sourceId: string, dueAt: number): AcceptedEvent {
  const properties = { acceptedAt: performance.timeOrigin + dueAt }
  return acceptedEvent({ sourceId, at: Date.now(), properties })
}

function p99(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * 0.99)] ?? Infinity
}
