import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks'
import { createLogger, openService, parseConfig } from '@hookline/server'
import { threadVariables } from '../load/threads.ts'
import { serveRequests } from '../load/serve-requests.ts'

// Hookline as in production, on the data folder in the first argument. The second argument contains additional settings, as
// JSON.

const [dataDir, more = '{}'] = process.argv.slice(2)
const config = parseConfig(threadVariables(process.env), {
  dataDir: dataDir!,
  port: '0',
  logLevel: 'error',
  allowedNetworks: '127.0.0.0/8',
  ...(JSON.parse(more) as object),
})
const service = await openService({ config, logger: createLogger(config.logLevel) })

/** The interval of event loop delay measurements. */
const RESOLUTION_MS = 5
let loopDelay: IntervalHistogram | undefined

/**
 * The delay since the previous request. The first request starts the measurement, so that nothing
 * wakes the process before then.
 */
function loopDelayP99Ms(): number | null {
  const p99 = loopDelay === undefined ? null : loopDelay.percentile(99) / 1e6 - RESOLUTION_MS
  loopDelay?.reset()
  loopDelay ??= monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  loopDelay.enable()
  return p99
}

process.on('SIGTERM', async () => {
  await service[Symbol.asyncDispose]()
  process.exit()
})
serveRequests(
  { 'loop delay': loopDelayP99Ms },
  { url: service.url, adminToken: service.adminToken.reveal() },
)
