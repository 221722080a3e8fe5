// Measures the effect of a client on its process: program.ts <client> idle|flood <endpoint>
import { CLIENTS } from './suite.ts'

const [name, part, endpoint = ''] = process.argv.slice(2)
const adapter = CLIENTS.find((each) => each.name === name)
if (adapter === undefined) throw new Error(`unknown client ${name}`)
const client = await adapter.create({ endpoint, flushAfterMs: 3_600_000, maxRetries: 1_000 })
if (part === 'idle') {
  await client.track('first')
  await client.flush()
  await client.track('left waiting')
} else {
  await flood()
  process.exit()
}

/**
 * Prints the peak memory growth of the process in bytes. Stops early if it is far beyond the limit.
 */
async function flood(): Promise<void> {
  const startRss = process.memoryUsage.rss()
  let peakRss = startRss
  for (let index = 0; index < 300_000; index++) {
    void client.track('Order Completed', { index, currency: 'EUR', orderId: `o-${index}` })
    if (index % 1_000 > 0) continue
    await new Promise((resolve) => setImmediate(resolve))
    peakRss = Math.max(peakRss, process.memoryUsage.rss())
    if (peakRss - startRss > 512 * 1024 * 1024) break
  }
  process.stdout.write(String(peakRss - startRss))
}
