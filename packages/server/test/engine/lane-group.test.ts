import { expect, test } from 'vitest'
import { acceptedEvent } from '@hookline/testing/records/accepted-event'
import { NO_ACTIVITY } from '@hookline/testing/engine/no-activity'
import { openReceiver } from '@hookline/testing/receiver/receiver'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'
import { TestEngine } from '@hookline/testing/engine/test-engine'
import type { Backend } from '../../src/backend/backend.ts'
import { openEmbeddedBackend } from '../../src/backend/embedded/open.ts'
import {
  type LaneGroup,
  type LaneGroupSettings,
  openLaneGroup,
} from '../../src/engine/lane-group.ts'
import { deliveryId } from '../../src/delivery/sending/webhook-request.ts'
import { createLogger } from '../../src/telemetry/logger.ts'
import { Metrics } from '../../src/telemetry/metrics.ts'
import { systemClock } from '../../src/util/time/clock.ts'

const SETTINGS: LaneGroupSettings = {
  retryWindowMs: 60_000,
  retryScheduleMs: [20],
  limits: {
    maxInFlight: 64,
    maxConcurrencyPerWebhook: 16,
    webhookQueueSize: 64,
    maxInMemory: 1024,
  },
  sender: {
    timeoutMs: 2000,
    allowedNetworks: ['127.0.0.0/8'],
    allowedPorts: new Set([8080]),
    maxConnectionsPerWebhook: 16,
  },
}

/** Opens a group as a thread does: from ports and copied settings. */
function openGroup(backend: Backend, owns?: (destinationId: string) => boolean): LaneGroup {
  return openLaneGroup({
    backend,
    settings: structuredClone(SETTINGS),
    activity: NO_ACTIVITY,
    clock: systemClock,
    metrics: new Metrics(),
    logger: createLogger('silent'),
    onPermanentFailure: ({ error }) => {
      throw error
    },
    ...(owns && { owns }),
  })
}

/** A folder with one parked, due delivery to each of the destinations `dst_a` and `dst_b`. */
async function folderWithParked(url: string): Promise<TemporaryFolder> {
  const folder = new TemporaryFolder()
  await using engine = await TestEngine.open({ retryDelaysMs: [1] }, folder)
  for (const id of ['dst_a', 'dst_b']) await engine.destination(id, url)
  await engine.receive(1)
  await expect
    .poll(async () => (await engine.deliveries({})).map(({ attemptCount }) => attemptCount > 0))
    .toEqual([true, true])
  return folder
}

const openBackend = ({ path: dataDir }: TemporaryFolder): Promise<Backend> =>
  openEmbeddedBackend({ dataDir, maxWaitingBytes: 2 ** 20 })

test('a lane group needs only ports and copied settings to deliver', async () => {
  using folder = new TemporaryFolder()
  await using receiver = await openReceiver()
  {
    await using engine = await TestEngine.open({}, folder)
    await engine.destination('dst_a', receiver.url)
  }
  await using backend = await openBackend(folder)
  await using lanes = openGroup(backend)
  const event = acceptedEvent()
  await backend.log.append([event])
  await lanes.ready()
  const now = systemClock.now()
  const { promise: recorded, resolve: onRecorded } = Promise.withResolvers<void>()
  const delivery = {
    id: deliveryId(event.id, 'dst_a'),
    eventId: event.id,
    destinationId: 'dst_a',
    state: 'pending',
    attemptCount: 0,
    firstDueAt: now,
    dueAt: now,
    webhooks: [],
  } as const
  lanes.deliver({ delivery, event, onRecorded })
  await recorded
  expect(receiver.requests).toHaveLength(1)
  expect(await backend.deliveries.find(delivery.id)).toMatchObject({ state: 'delivered' })
  expect([lanes.accepted, await lanes.status()]).toMatchObject([1, { imbalance: 0, unrecorded: 0 }])
})

test("each of several groups takes over its destinations' backlog", async () => {
  await using receiver = await openReceiver({ respond: 500 })
  using folder = await folderWithParked(receiver.url)
  receiver.respond = () => 200
  await using backend = await openBackend(folder)
  const stateOf = async (destinationId: string): Promise<string> =>
    (await backend.deliveries.list({ destinationId }, { limit: 9 })).data[0]!.state
  await using _ofA = openGroup(backend, (id) => id === 'dst_a')
  await expect.poll(() => stateOf('dst_a')).toBe('delivered')
  expect(await stateOf('dst_b')).toBe('pending')
  await using _ofOthers = openGroup(backend, (id) => id !== 'dst_a')
  await expect.poll(() => stateOf('dst_b')).toBe('delivered')
})

test("one call returns the state of many destinations' webhooks, and another their attempts in progress", async () => {
  const { promise: answered, resolve: answer } = Promise.withResolvers<number>()
  await using slow = await openReceiver({ respond: () => answered })
  await using quick = await openReceiver()
  await using engine = await TestEngine.open()
  await engine.destination('dst_slow', slow.url)
  await engine.destination('dst_quick', quick.url)
  const [event] = await engine.receive(1)
  await slow.waitFor(1)
  await quick.waitFor(1)
  await expect
    .poll(() => engine.deliveries({ destinationId: 'dst_quick' }))
    .toMatchObject([{ state: 'delivered' }])
  const states = await engine.lanes.states(['dst_slow', 'dst_gone', 'dst_quick'])
  expect([...states]).toMatchObject([
    ['dst_slow', [{ breaker: 'closed', inFlight: 1 }]],
    ['dst_quick', [{ breaker: 'closed', inFlight: 0 }]],
  ])
  const deliveries = ['dst_slow', 'dst_quick'].map((destinationId) => ({
    id: deliveryId(event!.id, destinationId),
    destinationId,
  }))
  const attempts = await engine.lanes.attemptsOf(deliveries)
  expect([...attempts.keys()]).toEqual([deliveries[0]!.id])
  answer(200)
})
