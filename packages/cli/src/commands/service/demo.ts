import type { Service } from '@hookline/server'
import { parseConfig } from '@hookline/server/config'
import type { Command } from 'commander'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { type ManagementApi, managementApi } from '../../api/management-api.ts'
import { sendCalls } from '../../sending/send-calls.ts'
import { Arrivals } from '../../demo/arrivals.ts'
import { requestText } from '../../demo/request-text.ts'
import { DELETED_USER, SAMPLE_CALLS } from '../../demo/sample-calls.ts'
import { demoObjects } from '../../dev/demo-objects.ts'
import { Failure } from '../../failure.ts'
import { outputOf } from '../../output/output-of.ts'
import type { Output } from '../../output/output.ts'
import { deliveryLine } from '../../receiver/delivery-line.ts'
import { Receiver } from '../../receiver/receiver.ts'
import { LOOPBACK_NETWORKS } from '../../service/loopback.ts'
import { openOrExplain } from '../../service/open-or-explain.ts'
import { serviceLogger } from '../../service/service-logger.ts'
import { type StopSignal, stopSignal } from '../../service/stop-signal.ts'

/** Until the last delivery of the calls, and again until the notice: it takes milliseconds unless something is wrong. */
const DEADLINE_MS = 8_000

const SECRET = 'the-shared-secret-of-the-demo'

/** `hookline demo` */
export function addDemo(program: Command): void {
  program
    .command('demo')
    .description(
      'the whole job by itself: one call of each type in, six signed deliveries and a deletion notice out',
    )
    .action(async (_options: unknown, command: Command) => demo(outputOf(command)))
}

async function demo(output: Output): Promise<void> {
  const interrupted = stopSignal()
  const arrivals = new Arrivals(SAMPLE_CALLS)
  // Disposed of in the opposite order: the service, which delivers to the receiver, then that, then the data.
  await using stack = new AsyncDisposableStack()
  const dataDir = stack.adopt(mkdtempSync(join(tmpdir(), 'hookline-demo-')), removeFolder)
  output.show(`Starting a service and a receiver, data in ${dataDir}`)
  const receiver = stack.use(await openReceiver(output, arrivals))
  const service = stack.use(await startService(dataDir))
  output.show(`Service on ${service.url}, receiver on ${receiver.url}\n`)
  const startedAt = performance.now()
  const api = managementApi(new URL(service.url), service.adminToken.reveal())
  await sendAll(service, api, receiver)
  await arrivedOrLate(arrivals.complete, interrupted)
  await api.createDeletion({ userIds: [DELETED_USER] })
  await arrivedOrLate(arrivals.noticed, interrupted)
  conclude(output, arrivals, Math.round(performance.now() - startedAt))
}

/** Waits, but not for ever: what is missing is told in the end. */
async function arrivedOrLate(
  arrived: Promise<void>,
  interrupted: Promise<StopSignal>,
): Promise<void> {
  const late = pause(DEADLINE_MS, 'late' as const, { ref: false })
  const end = await Promise.race([interrupted, arrived, late])
  if (end === 'SIGINT' || end === 'SIGTERM') throw new Failure('interrupted', 'Interrupted.')
}

function openReceiver(output: Output, arrivals: Arrivals): Promise<Receiver> {
  return new Receiver({
    port: 0,
    secret: SECRET,
    onDelivery: (delivery, request) => {
      output.data(delivery, () => deliveryLine(output, delivery))
      arrivals.add(delivery, request)
    },
  }).listen()
}

/** The environment has no say: the demo is the same everywhere. */
async function startService(dataDir: string): Promise<Service> {
  const allowedNetworks = LOOPBACK_NETWORKS.join(',')
  const config = parseConfig({}, { port: '0', dataDir, allowedNetworks, logLevel: 'warn' })
  return openOrExplain(config, await serviceLogger(config.logLevel))
}

async function sendAll(service: Service, api: ManagementApi, receiver: Receiver): Promise<void> {
  const base = new URL(service.url)
  const { writeKey } = await demoObjects(api, { url: receiver.url, secret: SECRET })
  await sendCalls(base, writeKey, SAMPLE_CALLS)
}

function conclude(output: Output, arrivals: Arrivals, elapsedMs: number): void {
  const faults = arrivals.faults()
  output.json({ kind: 'result', ok: faults.length === 0, faults, elapsedMs })
  if (faults.length > 0) throw new Failure('failed', `The demo failed. ${faults.join(' ')}`)
  output.show('\nThe track call, as the receiver got it:\n')
  output.show(requestText(output, arrivals.requestOf('track')!))
  const count = SAMPLE_CALLS.length
  const summary = `${count} calls sent, ${count} deliveries and a deletion notice received, every signature verified, in ${elapsedMs} ms.`
  output.show(`\n${output.style('green', summary)}`)
}

function removeFolder(path: string): void {
  rmSync(path, { recursive: true, force: true })
}
