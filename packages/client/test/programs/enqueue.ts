// Prints the number of calls that it enqueues per second of CPU time, the number that it copies through JSON for
// comparison, and the bytes of memory per byte of JSON.
import { Analytics } from '@hookline/client'
import { Recorder } from '@hookline/client/testing'

const CALLS = 100_000
const MESSAGE_BYTES = messageBytes()

const rates: number[] = []
const copies: number[] = []
const growths: number[] = []
for (let round = 0; round < 8; round++) {
  const { rate, growth } = enqueue()
  rates.push(rate)
  copies.push(rateOf((index) => void JSON.parse(JSON.stringify(callOf(index)))))
  growths.push(growth)
}
process.stdout.write(
  `${JSON.stringify({ rate: Math.max(...rates), copyRate: Math.max(...copies), growth: growths.at(-1) })}\n`,
)
process.exit()

function enqueue(): { rate: number; growth: number } {
  const analytics = new Analytics('wk_test', {
    endpoint: 'http://127.0.0.1:9',
    flushAt: 2_500,
    maxQueueMessages: CALLS,
  })
  const before = usedBytes()
  const rate = rateOf((index) => analytics.track(callOf(index)))
  const grown = usedBytes() - before
  if (analytics.stats.pending !== CALLS) throw new Error('some calls were not queued')
  return { rate, growth: grown / (CALLS * MESSAGE_BYTES) }
}

/** The rate per second of CPU time. */
function rateOf(work: (index: number) => void): number {
  const startedAt = process.cpuUsage()
  for (let index = 0; index < CALLS; index++) work(index)
  const { user, system } = process.cpuUsage(startedAt)
  return Math.round(CALLS / ((user + system) / 1e6))
}

function callOf(index: number) {
  const properties = { revenue: 39.95, currency: 'EUR', orderId: `o-${index}`, items: 3 }
  return { userId: `user-${index}`, event: 'Order Completed', properties }
}

/** The size of an average call as JSON. */
function messageBytes(): number {
  const recorder = new Recorder()
  recorder.track(callOf(CALLS / 2))
  return JSON.stringify(recorder.calls[0]).length
}

function usedBytes(): number {
  globalThis.gc?.()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}
