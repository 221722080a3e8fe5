import { setImmediate as nextTurn } from 'node:timers/promises'
import { serveRequests } from './serve-requests.ts'

/** A typical call from an application. */
interface TrackCall {
  readonly userId: string
  readonly event: string
  readonly properties: Record<string, unknown>
}

/** A new client of one of the sides, whose server never responds. */
export interface LoadedClient {
  track(call: TrackCall): void
  discard(): void
}

const openRequests: unknown[] = []

/** A request that never gets a response. The promise stays referenced, as if a connection were waiting for it. */
export function neverRespond(): Promise<never> {
  return new Promise((resolve) => openRequests.push(resolve))
}

/** Within the default queue limit of either client. */
const CALLS = 50_000
/** Calls per turn of the event loop. Libraries do deferred work in between. */
const CALLS_PER_TURN = 1_000

/** Responds with the calls per second or, if the program's argument is `memory`, the bytes of JSON per byte of memory. */
export function respondWith(open: () => LoadedClient): void {
  const isOfMemory = process.argv[2] === 'memory'
  process.on('SIGTERM', () => process.exit())
  const rate = ({ seconds }: { readonly seconds: number }): Promise<number> =>
    isOfMemory ? jsonPerMemory(open) : callsPerSecond(open, seconds)
  serveRequests({ rate }, 'ready')
}

async function callsPerSecond(open: () => LoadedClient, seconds: number): Promise<number> {
  let calls = 0
  let spentMs = 0
  while (spentMs < seconds * 1000) {
    const client = open()
    const started = performance.now()
    await enqueue(client)
    spentMs += performance.now() - started
    calls += CALLS
    client.discard()
    openRequests.length = 0
  }
  return calls / (spentMs / 1000)
}

/** Measured clients stay in memory, because freeing one during the next measurement would change its result. */
const kept: LoadedClient[] = []

async function jsonPerMemory(open: () => LoadedClient): Promise<number> {
  const client = open()
  kept.push(client)
  const before = usedBytes()
  await enqueue(client)
  const grown = usedBytes() - before
  return (CALLS * Buffer.byteLength(JSON.stringify(messageOf(CALLS / 2)))) / grown
}

async function enqueue(client: LoadedClient): Promise<void> {
  for (let index = 0; index < CALLS; index++) {
    client.track(callOf(index))
    if (index % CALLS_PER_TURN === 0) await nextTurn()
  }
}

function callOf(index: number): TrackCall {
  const properties = { revenue: 39.95, currency: 'EUR', orderId: `o-${index}`, items: 3 }
  return { userId: `user-${index}`, event: 'Order Completed', properties }
}

/** The call with the fields that every library adds before sending. */
function messageOf(index: number): object {
  return {
    ...callOf(index),
    type: 'track',
    messageId: 'b4d1f0e2-6a3c-4d8b-9d0e-1f2a3b4c5d6e',
    timestamp: '2026-01-15T12:00:00.000Z',
    context: { library: { name: '@hookline/client', version: '0.1.0' } },
  }
}

function usedBytes(): number {
  globalThis.gc?.()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}
