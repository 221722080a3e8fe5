import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { newId } from '@hookline/protocol'
import { createLogger, parseConfig } from '@hookline/server'
import { openEmbeddedBackend } from '../packages/server/src/backend/embedded/open.ts'
import type { Log } from '../packages/server/src/backend/log.ts'
import { Observation } from '../packages/server/src/activity/observation.ts'
import { startWorkers } from '../packages/server/src/service.ts'
import { Metrics } from '../packages/server/src/telemetry/metrics.ts'
import { systemClock } from '../packages/server/src/util/clock.ts'
import { event } from './delivery-event.ts'

// Everything between the log and the receiver, wired by the service's own composition root: events are
// appended durably, as ingest does, and no faster than they are delivered, so that none is parked.

const OUTSTANDING = 240
const BATCH = 20

const dataDir = mkdtempSync(
  join(process.env['HOOKLINE_TEST_DATA_DIR'] ?? tmpdir(), 'hookline-bench-'),
)
const config = parseConfig({}, { dataDir, allowedNetworks: '127.0.0.0/8', logLevel: 'error' })
const stack = new AsyncDisposableStack()
stack.defer(() => rmSync(dataDir, { recursive: true }))
const backend = stack.use(await openEmbeddedBackend(config))

const count = { appended: 0, acked: 0 }
let onAck = (): void => undefined
const log: Log = {
  append: (events) => backend.log.append(events),
  consume: (options) => backend.log.consume(options),
  ack(entries) {
    for (const entry of entries) count.acked += entry.events.length
    onAck()
    return backend.log.ack(entries)
  },
}

const now = Date.now()
const dates = { createdAt: now, updatedAt: now, version: 1 }
await backend.catalog.putSource({
  id: 'src_a',
  name: 'bench',
  enabled: true,
  rateLimit: null,
  writeKeys: [],
  ...dates,
})
await backend.catalog.putDestination({
  id: 'dst_a',
  sourceId: 'src_a',
  type: 'Webhooks',
  name: 'bench',
  enabled: true,
  paused: null,
  ...dates,
  settings: {
    sharedSecret: 'a shared secret for the bench',
    webhooks: [{ url: `http://127.0.0.1:${process.argv[2]}/hook`, headers: {} }],
    successPolicy: 'any',
  },
})
const shared = { logger: createLogger('error'), clock: systemClock, metrics: new Metrics() }
const observation = new Observation({
  ...shared,
  backend: {
    ...backend,
    log,
    probe: () => backend.probe(),
    [Symbol.asyncDispose]: async () => undefined,
  },
})
startWorkers(stack, { ...shared, config, observation, backend: observation.backend })

/** Resolves when fewer than this many events wait for their ack. */
async function outstandingBelow(limit: number): Promise<void> {
  while (count.appended - count.acked >= limit) {
    await new Promise<void>((resolve) => {
      onAck = resolve
    })
  }
}

process.on('message', async ({ seconds }: { seconds: number }) => {
  const started = performance.now()
  const before = count.acked
  while (performance.now() < started + seconds * 1000) {
    await outstandingBelow(OUTSTANDING)
    const at = Date.now()
    count.appended += BATCH
    await log.append(
      Array.from({ length: BATCH }, () => ({
        id: newId('evt', at),
        sourceId: 'src_a',
        event: event(),
        marks: [],
      })),
    )
  }
  await outstandingBelow(1)
  process.send!((count.acked - before) / ((performance.now() - started) / 1000))
})
process.on('SIGTERM', async () => {
  await stack.disposeAsync()
  process.exit()
})
process.send!('ready')
