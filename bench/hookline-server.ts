import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLogger, openService, parseConfig } from '@hookline/server'

// Hookline as it runs in production, with one source. Data go to a folder beside the system's own
// temporary one: HOOKLINE_TEST_DATA_DIR names another disk.

const dataDir = mkdtempSync(
  join(process.env['HOOKLINE_TEST_DATA_DIR'] ?? tmpdir(), 'hookline-bench-'),
)
const config = parseConfig({}, { dataDir, port: '0', logLevel: 'error' })
const service = await openService({ config, logger: createLogger(config.logLevel) })

const created = await fetch(`${service.url}/api/v1/sources`, {
  method: 'POST',
  headers: {
    authorization: `Bearer ${service.adminToken.reveal()}`,
    'content-type': 'application/json',
  },
  body: '{"name":"bench"}',
})
const { writeKeys } = (await created.json()) as { writeKeys: [{ key: string }] }

process.on('SIGTERM', async () => {
  await service[Symbol.asyncDispose]()
  rmSync(dataDir, { recursive: true })
  process.exit()
})
process.send!({ port: Number(new URL(service.url).port), writeKey: writeKeys[0].key })
