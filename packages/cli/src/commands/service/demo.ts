import type { Service } from '@hookline/server'
import { parseConfig } from '@hookline/server/config'
import type { Command } from 'commander'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type ManagementApi, managementApi } from '../../api/management-api.ts'
import { Arrivals } from '../../demo/arrivals.ts'
import { BUYERS, DELETED_USER, SAMPLE_AUDIENCE, SAMPLE_CALLS } from '../../demo/sample-calls.ts'
import { demoObjects } from '../../dev/demo-objects.ts'
import { Failure } from '../../failure.ts'
import { LOOPBACK_NETWORKS } from '../../loopback.ts'
import { type Output, outputOf } from '../../output/output.ts'
import { deliveryLine, requestText } from '../../receiver/delivery-text.ts'
import { Receiver } from '../../receiver/receiver.ts'
import { sendCalls } from '../../sending/send-calls.ts'
import { openOrFail, openServiceLog } from '../../service/open-service.ts'
import { type StopSignal, stopSignal } from '../../service/stop-signal.ts'

/**
 * How long to wait for the deliveries and the audience changes, which take about four seconds, and
 * then again for the deletion notice.
 */
const DEADLINE_MS = 12_000

const SECRET = 'the-shared-secret-of-the-demo'

export function addDemo(program: Command): void {
  program
    .command('demo')
    .description('run a complete demo and check its results')
    .action(async (_options: unknown, command: Command) => demo(outputOf(command)))
}

async function demo(output: Output): Promise<void> {
  const interrupted = stopSignal()
  const arrivals = new Arrivals({ calls: SAMPLE_CALLS, members: BUYERS })
  // Disposed of in reverse order.
  await using stack = new AsyncDisposableStack()
  const dataDir = stack.adopt(mkdtempSync(join(tmpdir(), 'hookline-demo-')), (path) =>
    rmSync(path, { recursive: true, force: true }),
  )
  output.show(`Starting a service and a receiver. Data folder: ${dataDir}`)
  const receiver = stack.use(await openReceiver(output, arrivals))
  const service = stack.use(await startService(dataDir))
  output.show(`Service: ${service.url}  Receiver: ${receiver.url}\n`)
  const startedAt = performance.now()
  const api = managementApi(new URL(service.url), service.adminToken.reveal())
  await sendAll(service, api, receiver)
  await waitFor(arrivals.complete, interrupted)
  await api.createDeletion({ userIds: [DELETED_USER] })
  await waitFor(arrivals.noticed, interrupted)
  conclude(output, arrivals, Math.round(performance.now() - startedAt))
}

/** After the deadline, the result lists the missing deliveries. */
async function waitFor(arrived: Promise<void>, interrupted: Promise<StopSignal>): Promise<void> {
  const late = sleep(DEADLINE_MS, 'late' as const, { ref: false })
  const end = await Promise.race([interrupted, arrived, late])
  if (end === 'SIGINT' || end === 'SIGTERM') throw new Failure('interrupted', 'Interrupted.')
}

function openReceiver(output: Output, arrivals: Arrivals): Promise<Receiver> {
  return new Receiver({
    port: 0,
    secret: SECRET,
    onDelivery: (delivery, request) => {
      output.data(delivery, () => deliveryLine(output, delivery))
      arrivals.record(delivery, request)
    },
  }).listen()
}

/** Ignores the environment. */
async function startService(dataDir: string): Promise<Service> {
  const allowedNetworks = LOOPBACK_NETWORKS.join(',')
  const config = parseConfig({}, { port: '0', dataDir, allowedNetworks, logLevel: 'warn' })
  return openOrFail(config, await openServiceLog(config.logLevel))
}

async function sendAll(service: Service, api: ManagementApi, receiver: Receiver): Promise<void> {
  const base = new URL(service.url)
  const { writeKey, destinationId } = await demoObjects(api, { url: receiver.url, secret: SECRET })
  await api.createAudience({ ...SAMPLE_AUDIENCE, destinationIds: [destinationId] })
  await sendCalls(base, writeKey, SAMPLE_CALLS)
}

function conclude(output: Output, arrivals: Arrivals, elapsedMs: number): void {
  const faults = arrivals.faults()
  output.json({ kind: 'result', ok: faults.length === 0, faults, elapsedMs })
  if (faults.length > 0) throw new Failure('failed', `The demo failed. ${faults.join(' ')}`)
  output.show('\nThe received track call:\n')
  output.show(requestText(output, arrivals.requestOf('track')!))
  const count = SAMPLE_CALLS.length
  const summary = `Sent ${count} calls. Received ${count} deliveries, the changes in the audience "${SAMPLE_AUDIENCE.name}", and a deletion notice in ${elapsedMs} ms. All signatures are valid.`
  output.show(`\n${output.style('green', summary)}`)
}
