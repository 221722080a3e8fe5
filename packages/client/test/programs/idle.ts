// Exits with a call still in the queue: idle.ts <endpoint>
import { Analytics } from '@hookline/client'

const [endpoint] = process.argv.slice(2)
const analytics = new Analytics('wk_test', { endpoint, flushAfter: 3_600_000 })
analytics.track({ userId: 'u1', event: 'first' })
await analytics.flush()
analytics.track({ userId: 'u1', event: 'left waiting' })
process.stdout.write(`${JSON.stringify(analytics.stats)}\n`)
