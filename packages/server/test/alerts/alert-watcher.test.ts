import type { JsonObject } from '@hookline/protocol'
import { X509Certificate } from 'node:crypto'
import { expect, test } from 'vitest'
import { NOON } from '@hookline/testing/records/accepted-event'
import { makeCertificates } from '@hookline/testing/network/certificates'
import { newAudience, newDestination, newSource } from '@hookline/testing/records/catalog-records'
import { type Condition, CONDITIONS, THRESHOLDS } from '../../src/alerts/conditions.ts'
import { recordDelivery } from '../backend/conformance/deliveries/recorded-delivery.ts'
import { CHANNEL, WatchedBackend } from './watched-backend.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

test('without a channel, nothing is appended or stored', async () => {
  await using watched = await WatchedBackend.open({ hasChannel: false })
  watched.freeBytes = 0
  await watched.check()
  expect(watched.names).toEqual([])
  expect(await watched.backend.alertStates.all()).toEqual(new Map())
})

test('a failing destination is reported within a minute, and its recovery once', async () => {
  await using watched = await WatchedBackend.open()
  await watched.count({ 'attempts.5xx': 2 })
  for (let second = 0; second < 60; second += 5) await watched.check()
  expect(watched.events).toEqual([
    [
      'Webhook Failing',
      {
        key: 'webhook_failing destination dst_a',
        condition: 'webhook_failing',
        severity: 'failing',
        state: 'started',
        name: 'CRM',
        host: 'example.com',
        count: 2,
        since: '2026-01-15T12:00:00.000Z',
        title: 'CRM: No attempt succeeded in the last hour (2 failed).',
        remedy: "Send a test to see the receiver's response.",
        link: 'https://hookline.example/console/destinations/dst_a',
        heldBack: 0,
      },
    ],
  ])
  await watched.check(MINUTE)
  await watched.count({ 'attempts.2xx': 1 })
  for (let checks = 0; checks < 20; checks += 1) await watched.check()
  expect(watched.names).toEqual(['Webhook Failing', 'Webhook Recovered'])
})

test('a destination that recovers on its first retry is not reported', async () => {
  await using watched = await WatchedBackend.open()
  await watched.count({ 'attempts.5xx': 1 })
  await watched.check()
  await watched.count({ 'attempts.2xx': 1 })
  for (let checks = 0; checks < 20; checks += 1) await watched.check()
  expect(watched.names).toEqual([])
})

test('a destination that has delivered nothing since a restart has not recovered', async () => {
  await using watched = await WatchedBackend.open()
  await watched.count({ 'attempts.5xx': 1 })
  for (let checks = 0; checks < 5; checks += 1) await watched.check()
  await watched.check(2 * HOUR)
  await watched.restart()
  await watched.check()
  expect(watched.names).toEqual(['Webhook Failing'])
})

test('a destination that is deleted has not recovered, but its incident is closed', async () => {
  await using watched = await WatchedBackend.open()
  await watched.count({ 'attempts.5xx': 1 })
  await watched.checkTimes(5)
  await watched.backend.catalog.removeDestination('dst_a')
  await watched.checkTimes(5)
  const events = watched.events
  expect(events.map(([name, { state, title }]) => [name, state, title])).toEqual([
    ['Webhook Failing', 'started', expect.any(String)],
    ['Webhook Failing', 'ended', 'CRM was deleted or disabled.'],
  ])
})

test('a jump of the system clock raises no alert about expiring deliveries', async () => {
  await using watched = await WatchedBackend.open()
  await recordDelivery(watched)
  watched.clock.jump(3.5 * HOUR)
  await watched.checkTimes(3)
  expect(watched.names).toEqual([])
  await watched.check(3.5 * HOUR)
  await watched.checkTimes(3)
  expect(watched.names).toEqual(['Deliveries Expiring'])
})

test('a pause of the destination does not end the pause of a webhook', async () => {
  await using watched = await WatchedBackend.open()
  await TRIGGERS['Webhook Paused']!(watched)
  await watched.checkTimes(3)
  const { catalog } = watched.backend
  const destination = catalog.current.destinations.get('dst_b')!
  const paused = { since: NOON, reason: 'operator' as const }
  await catalog.putDestination({ ...destination, version: 2, paused })
  await watched.checkTimes(3)
  expect(watched.states).toEqual(['started'])
  const webhooks = [{ url: 'https://a.example/', headers: {} }]
  await catalog.putDestination(newDestination({ id: 'dst_b', version: 3, settings: { webhooks } }))
  await watched.checkTimes(3)
  expect(watched.states).toEqual(['started', 'ended'])
})

test('a flapping receiver raises at most six alerts in two hours, and the others are counted', async () => {
  await using watched = await WatchedBackend.open()
  for (let flaps = 0; flaps < 12; flaps += 1) {
    await watched.count({ 'attempts.5xx': 20 })
    for (let checks = 0; checks < 5; checks += 1) await watched.check(20_000)
    await watched.check(6 * MINUTE)
    await watched.count({ 'attempts.2xx': 20 })
    for (let checks = 0; checks < 5; checks += 1) await watched.check(20_000)
  }
  const events = watched.events
  // Twelve failures in two hours.
  expect(events.length).toBeLessThanOrEqual(6)
  expect(events.length).toBeGreaterThanOrEqual(3)
  const held = events.reduce((sum, [, { heldBack }]) => sum + Number(heldBack), 0)
  const starts = events.filter(([, { state }]) => state === 'started').length
  const stored = await watched.backend.alertStates.all()
  const { heldBack, isActive, reported } = JSON.parse(
    stored.get('webhook_failing destination dst_a')!,
  ) as {
    heldBack: number
    isActive: boolean
    reported: string
  }
  const left = heldBack + (isActive && reported !== 'start' ? 1 : 0)
  expect(starts + held + left).toBe(12)
})

test('a change is neither lost nor repeated if the process exits at any step', async () => {
  await using watched = await WatchedBackend.open()
  watched.freeBytes = 0
  // The state is stored, and the process exits before the append.
  watched.appendsLeft = 0
  await watched.check()
  expect(watched.names).toEqual([])
  watched.appendsLeft = Infinity
  await watched.restart()
  // The event is appended, and the process exits before the state is updated.
  watched.rejectsPuts = true
  await watched.check()
  expect(watched.names).toEqual(['Disk Low'])
  watched.rejectsPuts = false
  await watched.restart()
  for (let checks = 0; checks < 3; checks += 1) await watched.check()
  expect(watched.names).toEqual(['Disk Low'])
})

test('disk space that keeps falling below the threshold raises one alert an hour; the others are counted', async () => {
  await using watched = await WatchedBackend.open()
  for (let changes = 0; changes < 10; changes += 1) {
    watched.freeBytes = changes % 2 === 0 ? THRESHOLDS.minFreeBytes - 1 : 1e12
    await watched.check(MINUTE)
  }
  expect(watched.states).toEqual(['started', 'ended'])
  await watched.check(HOUR)
  const events = watched.events
  expect(events.map(([name, { state, heldBack }]) => [name, state, heldBack])).toEqual([
    ['Disk Low', 'started', 0],
    ['Disk Low', 'ended', 0],
    ['Disk Low', 'ended', 4],
  ])
})

test('many destinations that fail at once raise at most 30 alerts an hour, lost data first', async () => {
  await using watched = await WatchedBackend.open()
  const ids = Array.from({ length: 60 }, (_, index) => `dst_${String(index).padStart(3, '0')}`)
  for (const id of ids) {
    await watched.backend.catalog.putDestination(newDestination({ id }))
    await watched.count({ 'attempts.5xx': 5 }, id)
  }
  await watched.backend.catalog.putSource(newSource({ enabled: false, version: 2 }))
  await watched.count({ 'rejected.source_disabled': 7 }, '')
  for (let checks = 0; checks < 8; checks += 1) await watched.check()
  const names = watched.names
  expect(names).toHaveLength(30)
  expect(names[0]).toBe('Calls Refused')
  // Lost data does not wait for the next hour.
  await recordDelivery(watched, { state: 'expired', attemptCount: 1 })
  await watched.count({ 'failed.expired': 1 })
  await watched.checkTimes(2)
  expect(watched.names.slice(30)).toEqual(['Deliveries Expired'])
})

test('lost data at many destinations raises at most 60 alerts an hour', async () => {
  await using watched = await WatchedBackend.open()
  const ids = Array.from({ length: 70 }, (_, index) => `dst_${String(index).padStart(3, '0')}`)
  for (const destinationId of ids) {
    await watched.backend.catalog.putDestination(newDestination({ id: destinationId }))
    await recordDelivery(watched, { destinationId, state: 'expired', attemptCount: 1 })
    await watched.count({ 'failed.expired': 1 }, destinationId)
  }
  await watched.checkTimes(3)
  expect(watched.names).toHaveLength(60)
})

test('all corruption found at one startup raises a single alert', async () => {
  await using watched = await WatchedBackend.open()
  const foundAt = Array.from({ length: 20 }, (_, index) => NOON + index)
  watched.overrides = { corruptions: foundAt.map((at) => ({ foundAt: at, description: 'lost' })) }
  await watched.checkTimes(3)
  expect(watched.events.map(([name, { count }]) => [name, count])).toEqual([['Damage Found', 20]])
})

test('a channel that fails raises no alert', async () => {
  await using watched = await WatchedBackend.open()
  await watched.count({ 'attempts.5xx': 5 }, CHANNEL.id)
  for (let checks = 0; checks < 8; checks += 1) await watched.check()
  expect(watched.names).toEqual([])
})

test('no URL of a webhook is stored or sent', async () => {
  await using watched = await WatchedBackend.open()
  const webhooks = [
    {
      url: 'https://a.example/secret-path',
      headers: {},
      paused: { since: NOON, reason: 'webhook_gone' as const },
    },
  ]
  await watched.backend.catalog.putDestination(
    newDestination({ id: 'dst_b', settings: { webhooks } }),
  )
  await watched.check()
  const [[name, properties]] = watched.events as [[string, JsonObject]]
  expect([name, properties['host']]).toEqual(['Webhook Paused', 'a.example'])
  const stored = JSON.stringify([...(await watched.backend.alertStates.all())])
  expect(stored + JSON.stringify(properties)).not.toContain('secret-path')
})

const [{ cert: certificate, key }] = makeCertificates().clients

/** For each alert: makes its condition apply, and advances the clock if that takes time. */
const TRIGGERS: Readonly<Record<string, (watched: WatchedBackend) => Promise<unknown> | void>> = {
  'Calls Refused': async (watched) => {
    await watched.backend.catalog.putSource(newSource({ enabled: false, version: 2 }))
    await watched.count({ 'rejected.source_disabled': 2 }, '')
  },
  'Write Key Unknown': (watched) => watched.count({ 'rejected.unknown_write_key': 2 }, ''),
  'Rate Limit Exceeded': (watched) => watched.count({ 'rejected.rate_limited': 2 }, ''),
  'Deliveries Expired': async (watched) => {
    await recordDelivery(watched, { state: 'expired', attemptCount: 1 })
    await watched.count({ 'failed.expired': 1 })
  },
  'Damage Found': (watched) => {
    watched.overrides = { corruptions: [{ foundAt: NOON, description: 'lost' }] }
  },
  Quarantine: async (watched) => {
    const { id } = await recordDelivery(watched)
    await watched.backend.quarantine.add([{ id, reason: 'A bug.', at: NOON }])
  },
  'Disk Low': (watched) => {
    watched.freeBytes = THRESHOLDS.minFreeBytes - 1
  },
  'Deliveries Expiring': async (watched) => {
    await recordDelivery(watched)
    // Less than one hour of the four-hour window is left.
    await watched.check(3 * HOUR)
  },
  'Webhook Failing': (watched) => watched.count({ 'attempts.5xx': 1 }),
  'Webhook Paused': (watched) => {
    const paused = { since: NOON, reason: 'webhook_gone' } as const
    const webhooks = [{ url: 'https://a.example/', headers: {}, paused }]
    const destination = newDestination({ id: 'dst_b', settings: { webhooks } })
    return watched.backend.catalog.putDestination(destination)
  },
  'Sync Missed': async ({ backend }) => {
    await backend.catalog.putComputation(newAudience())
    await backend.syncs.put({
      id: 'syn_1',
      computationId: 'aud_a',
      reason: 'daily',
      version: 1,
      destinationIds: [],
      addedDestinationIds: [],
      formerDestinationIds: [],
      state: 'done',
      createdAt: NOON,
      startedAt: NOON,
      finishedAt: NOON,
      evaluated: 1,
      announced: 0,
      entered: 0,
      left: 0,
      missed: 1,
      afterProfile: null,
      afterUser: null,
      error: null,
    })
  },
  'Node Lost': (watched) => {
    const node = { id: 'n', version: '1', role: 'all', startedAt: NOON, seenAt: NOON } as const
    watched.overrides = { nodes: { current: [{ ...node, isAlive: false }] } }
  },
  'Certificate Expiring': ({ backend, clock }) => {
    const expiresAt = Date.parse(new X509Certificate(certificate).validTo)
    clock.advance(expiresAt - NOON - 30 * DAY)
    const auth = { clientCertificate: { certificate, key } }
    const webhooks = [{ url: 'https://a.example/', headers: {}, auth }]
    return backend.catalog.putDestination(newDestination({ id: 'dst_b', settings: { webhooks } }))
  },
  'Backup Old': (watched) => {
    watched.overrides = { backups: { lastAt: NOON - 3 * DAY } }
  },
}

test('every alert has a trigger', () => {
  const events = Object.values<Condition>(CONDITIONS).flatMap((each) => each.events?.start ?? [])
  expect(Object.keys(TRIGGERS).toSorted()).toEqual(events.toSorted())
})

test.each(Object.entries(TRIGGERS))(
  '%s is reported once, within a minute',
  async (name, trigger) => {
    await using watched = await WatchedBackend.open()
    for (let checks = 0; checks < 3; checks += 1) await watched.check()
    expect(watched.names).toEqual([])
    await trigger(watched)
    for (let second = 0; second < 60; second += 5) await watched.check()
    expect(watched.names.filter((each) => each === name)).toEqual([name])
  },
)

/** For each alert with a recovery: the title of the recovery, and how to end the condition. */
const RECOVERIES: Readonly<
  Record<
    string,
    readonly [title: string, recover: (watched: WatchedBackend) => Promise<unknown> | void]
  >
> = {
  'Webhook Failing': [
    'CRM is working again.',
    async (watched) => {
      await watched.check(MINUTE)
      await watched.count({ 'attempts.2xx': 1 })
    },
  ],
  'Webhook Paused': [
    'CRM: the pause of the webhook has ended.',
    ({ backend }) => {
      const webhooks = [{ url: 'https://a.example/', headers: {} }]
      const destination = newDestination({ id: 'dst_b', version: 2, settings: { webhooks } })
      return backend.catalog.putDestination(destination)
    },
  ],
  'Certificate Expiring': [
    'CRM: the client certificate was replaced or removed.',
    ({ backend }) => {
      const webhooks = [{ url: 'https://a.example/', headers: {} }]
      const destination = newDestination({ id: 'dst_b', version: 2, settings: { webhooks } })
      return backend.catalog.putDestination(destination)
    },
  ],
  Quarantine: [
    'The quarantine is empty.',
    async ({ backend }) => {
      const [delivery] = (await backend.deliveries.list({}, { limit: 1 })).data
      await backend.replays.retry(delivery!.id, NOON)
    },
  ],
  'Disk Low': [
    'The data disk has enough free space.',
    (watched) => {
      watched.freeBytes = 1e12
    },
  ],
  'Node Lost': [
    'The node n is responding again.',
    (watched) => {
      const [node] = watched.overrides.nodes!.current
      watched.overrides = { nodes: { current: [{ ...node!, isAlive: true }] } }
    },
  ],
  'Backup Old': [
    'A new backup was made.',
    (watched) => {
      watched.overrides = { backups: { lastAt: NOON } }
    },
  ],
}

test('every recovery alert is tested', () => {
  const events = Object.values<Condition>(CONDITIONS).flatMap(({ events: each }) =>
    each?.end === undefined ? [] : each.start,
  )
  expect(Object.keys(RECOVERIES).toSorted()).toEqual(events.toSorted())
})

test.each(Object.entries(RECOVERIES))(
  'the end of %s is reported once',
  async (name, [title, recover]) => {
    await using watched = await WatchedBackend.open()
    await TRIGGERS[name]!(watched)
    await watched.checkTimes(5)
    await recover(watched)
    await watched.checkTimes(3)
    const ends = watched.events.filter(([, { state }]) => state === 'ended')
    expect(ends.map(([, properties]) => properties['title'])).toEqual([title])
    expect(ends[0]![1]['class']).toBeUndefined()
  },
)

test('a node that was lost and is removed from the list closes its incident', async () => {
  await using watched = await WatchedBackend.open()
  await TRIGGERS['Node Lost']!(watched)
  await watched.checkTimes(3)
  watched.overrides = { nodes: { current: [] } }
  await watched.checkTimes(3)
  expect(watched.events.map(([, { state, title }]) => [state, title])).toEqual([
    ['started', 'The node n is not responding.'],
    ['ended', 'The node n has not responded for 10 minutes, and was removed from the list.'],
  ])
})

test('an alert about corruption has no description, because only admins may see descriptions', async () => {
  await using watched = await WatchedBackend.open()
  watched.overrides = { corruptions: [{ foundAt: NOON, description: 'the planted description' }] }
  for (let second = 0; second < 60; second += 5) await watched.check()
  expect(watched.names).toEqual(['Damage Found'])
  expect(JSON.stringify(watched.appended.map(({ event }) => event))).not.toContain('planted')
})
