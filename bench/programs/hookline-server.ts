import { createLogger, openService, parseConfig } from '@hookline/server'

// Hookline as in production, on the data folder of the first argument. Responds to each message with its usage.

const [dataDir] = process.argv.slice(2)
const config = parseConfig(
  {},
  { dataDir: dataDir!, port: '0', logLevel: 'error', allowedNetworks: '127.0.0.0/8' },
)
const service = await openService({ config, logger: createLogger(config.logLevel) })

process.on('message', () => {
  const { user, system } = process.cpuUsage()
  process.send!({ cpuMicros: user + system, residentBytes: process.memoryUsage.rss() })
})
process.on('SIGTERM', async () => {
  await service[Symbol.asyncDispose]()
  process.exit()
})
process.send!({ url: service.url, adminToken: service.adminToken.reveal() })
