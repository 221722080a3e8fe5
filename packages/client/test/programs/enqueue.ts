// Prints how many calls it enqueues per second of CPU time, and how many bytes of memory each byte of JSON takes.
import { Analytics } from '@hookline/client'
import { Recorder } from '@hookline/client/testing'

const CALLS = 100_000
const MESSAGE_BYTES = messageBytes()

const rates: number[] = []
const growths: number[] = []
for (let round = 0; round < 8; round++) {
  const { rate, growth } = enqueue()
  rates.push(rate)
  growths.push(growth)
}
process.stdout.write(`${JSON.stringify({ rate: Math.max(...rates), growth: growths.at(-1) })}\n`)
process.exit()

function enqueue(): { rate: number; growth: number } {
  const analytics = new Analytics('wk_test', {
    endpoint: 'http://127.0.0.1:9',
    flushAt: 2_500,
    maxQueueMessages: CALLS,
  })
  const before = usedBytes()
  const startedAt = process.cpuUsage()
  for (let index = 0; index < CALLS; index++) {
    analytics.track(callOf(index))
  }
  const { user, system } = process.cpuUsage(startedAt)
  const grown = usedBytes() - before
  if (analytics.stats.pending !== CALLS) throw new Error('some calls were not queued')
  return {
    rate: Math.round(CALLS / ((user + system) / 1e6)),
    growth: grown / (CALLS * MESSAGE_BYTES),
  }
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
