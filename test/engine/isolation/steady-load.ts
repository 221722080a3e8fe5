import type { AcceptedEvent } from '@hookline/protocol'
import { acceptedEvent } from '../../../packages/server/test/harness/accepted-event.ts'
import { TestEngine } from '../../../packages/server/test/harness/test-engine.ts'
import type { ReceiversProcess } from '../receivers/receivers-process.ts'

const HEALTHY = 9
const EVERY_MS = 10

export interface LoadOptions {
  readonly receivers: ReceiversProcess
  readonly seconds: number
  /** Events per second for each destination; by default as many as are delivered. */
  readonly eventsPerSecond?: number
  /** Whether the webhook of the tenth destination never responds, or responds at once. */
  readonly tenth: 'hanging' | 'answering'
}

export interface LoadResult {
  /** Deliveries per second to the nine healthy webhooks. */
  readonly rate: number
  readonly p99Ms: number
}

/** Puts a steady load on nine healthy destinations and a tenth one, each with its own source. */
export async function steadyLoad({
  receivers,
  seconds,
  eventsPerSecond,
  tenth,
}: LoadOptions): Promise<LoadResult> {
  await using engine = await TestEngine.open()
  const names = Array.from({ length: HEALTHY }, (_, index) => `healthy-${index}`)
  names.push(tenth)
  for (const name of names) {
    await engine.destination(`dst_${name}`, receivers.urlOf(name), { sourceId: `src_${name}` })
  }
  await receivers.latenciesMs()
  const started = performance.now()
  const elapsedMs = (): number => performance.now() - started
  for (let perSource = 0; elapsedMs() < seconds * 1000;) {
    const due =
      eventsPerSecond === undefined ? perSource + 8 : elapsedMs() * (eventsPerSecond / 1000)
    const count = Math.floor(due) - perSource
    perSource += count
    await engine.backend.log.append(events(names, count))
    if (eventsPerSecond === undefined) await hasRoom(engine)
    else await new Promise((resolve) => setTimeout(resolve, EVERY_MS))
  }
  const latencies = await receivers.latenciesMs()
  return { rate: latencies.length / (elapsedMs() / 1000), p99Ms: p99(latencies) }
}

function events(names: readonly string[], countEach: number): AcceptedEvent[] {
  const at = Date.now()
  const properties = { acceptedAt: performance.timeOrigin + performance.now() }
  const one = (name: string) => acceptedEvent({ sourceId: `src_${name}`, at, properties })
  return Array.from({ length: countEach }, () => names.map(one)).flat()
}

/** Resolves when the engine has few deliveries in memory. */
async function hasRoom(engine: TestEngine): Promise<void> {
  while (engine.lanes.inMemory > 200) await new Promise((resolve) => setImmediate(resolve))
}

function p99(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * 0.99)] ?? Infinity
}
