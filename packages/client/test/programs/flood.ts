// Makes a million calls, whether or not the server accepts them: flood.ts <endpoint>. Prints the memory growth and the
// size of the queue. Then flushes the queue and prints the result.
import { Analytics } from '@hookline/client'
import { systemClock } from '../../src/clock.ts'

const CALLS = 1_000_000
const CALLS_AT_ONCE = 1_000

const [endpoint] = process.argv.slice(2)
const reports: string[] = []
const analytics = new Analytics(
  'wk_test',
  { endpoint, flushAt: 500, maxRetries: 1e9, onError: ({ name }) => reports.push(name) },
  // A retry delay of half a minute would only slow the test down.
  {
    clock: {
      ...systemClock,
      after: (ms, task, keep) => systemClock.after(Math.min(ms, ms > 1e6 ? ms : 500), task, keep),
    },
  },
)
const startRss = process.memoryUsage.rss()
let peakRss = startRss
for (let index = 0; index < CALLS; index++) {
  const properties = { index, currency: 'EUR', note: '完了 😀' }
  analytics.track({ userId: `u${index}`, event: 'Order Completed', properties })
  if (index % CALLS_AT_ONCE > 0) continue
  await new Promise((resolve) => setImmediate(resolve))
  peakRss = Math.max(peakRss, process.memoryUsage.rss())
}
print({ grownBytes: peakRss - startRss, reports, stats: analytics.stats })
await analytics.flush()
print(analytics.stats)

function print(value: object): void {
  process.stdout.write(`${JSON.stringify(value)}\n`)
}
