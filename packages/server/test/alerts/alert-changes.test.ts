import { expect, test } from 'vitest'
import { NOON } from '@hookline/testing/records/accepted-event'
import { newDestination } from '@hookline/testing/records/catalog-records'
import { CHANNEL, WatchedBackend } from './watched-backend.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

test('after a pause, a failing destination recovers when it delivers again', async () => {
  await using watched = await WatchedBackend.open()
  const { catalog } = watched.backend
  await watched.count({ 'attempts.5xx': 20, 'attempts.2xx': 1 })
  await watched.checkTimes(5)
  const paused = { since: watched.clock.wall(), reason: 'operator' } as const
  await catalog.putDestination(newDestination({ paused, version: 2 }))
  await watched.checkTimes(5)
  await watched.check(10 * MINUTE)
  const updatedAt = watched.clock.wall()
  await catalog.putDestination(newDestination({ version: 3, updatedAt }))
  await watched.checkTimes(5)
  expect(watched.names).toEqual(['Webhook Failing'])
  await watched.count({ 'attempts.2xx': 1 })
  await watched.checkTimes(10)
  expect(watched.names).toEqual(['Webhook Failing', 'Webhook Recovered'])
})

test('a second webhook that fails or is paused later is reported', async () => {
  await using watched = await WatchedBackend.open()
  const { catalog } = watched.backend
  const [a, b] = ['https://a.example/', 'https://b.example/'] as const
  const paused = { since: NOON, reason: 'webhook_gone' } as const
  const put = (version: number, webhooks: { url: string; paused?: typeof paused }[]) =>
    catalog.putDestination(
      newDestination({
        version,
        settings: { webhooks: webhooks.map((each) => ({ headers: {}, ...each })) },
      }),
    )
  await put(2, [{ url: a }, { url: b }])
  await watched.count({ 'attempts.5xx': 5 })
  watched.open = [a]
  await watched.checkTimes(5)
  watched.open = [a, b]
  await watched.checkTimes(5)
  await watched.check(30 * MINUTE)
  await watched.count({ 'attempts.5xx': 5 })
  await watched.check(30 * MINUTE)
  expect(watched.events.map(([name, { host }]) => [name, host])).toEqual([
    ['Webhook Failing', 'a.example'],
    ['Webhook Failing', 'b.example'],
  ])
  await put(3, [{ url: a, paused }, { url: b }])
  await watched.check()
  await put(4, [
    { url: a, paused },
    { url: b, paused },
  ])
  await watched.check()
  expect(watched.events.slice(2).map(([name, { host }]) => [name, host])).toEqual([
    ['Webhook Paused', 'a.example'],
    ['Webhook Paused', 'b.example'],
  ])
})

test('a webhook that fails after its destination was reported for a low success rate is reported', async () => {
  await using watched = await WatchedBackend.open()
  const [a, b] = ['https://a.example/', 'https://b.example/'] as const
  const webhooks = [a, b].map((url) => ({ url, headers: {} }))
  await watched.backend.catalog.putDestination(
    newDestination({ version: 2, settings: { webhooks } }),
  )
  await watched.count({ 'attempts.5xx': 6, 'attempts.2xx': 4 })
  await watched.checkTimes(5)
  watched.open = [b]
  await watched.checkTimes(5)
  expect(watched.events.map(([name, { host }]) => [name, host])).toEqual([
    ['Webhook Failing', undefined],
  ])
  await watched.check(30 * MINUTE)
  await watched.count({ 'attempts.5xx': 5 })
  await watched.check(30 * MINUTE)
  expect(watched.events.slice(1).map(([name, { host }]) => [name, host])).toEqual([
    ['Webhook Failing', 'b.example'],
  ])
})

test('the breaker of the only webhook of a reported destination is not reported again', async () => {
  await using watched = await WatchedBackend.open()
  await watched.count({ 'attempts.5xx': 6, 'attempts.2xx': 4 })
  await watched.checkTimes(5)
  watched.open = ['https://example.com/hook']
  await watched.check(HOUR)
  await watched.checkTimes(5)
  expect(watched.names).toEqual(['Webhook Failing'])
})

test('a channel that is added gets one summary of the problems that were reported before', async () => {
  await using watched = await WatchedBackend.open()
  const channel = (id: string, version = 1, enabled = true) =>
    watched.backend.catalog.putDestination(
      newDestination({ id, version, enabled, sourceId: 'src_hookline' }),
    )
  await watched.count({ 'attempts.5xx': 2 })
  watched.freeBytes = 0
  await watched.checkTimes(5)
  expect(watched.names).toEqual(['Disk Low', 'Webhook Failing'])
  await channel('dst_second')
  watched.rejectsPuts = true
  await watched.check()
  watched.rejectsPuts = false
  await watched.restart()
  await watched.checkTimes(3)
  const [summary, ...others] = watched.events.slice(2)
  expect(others).toEqual([])
  expect(summary).toMatchObject([
    'Current Problems',
    { severity: 'failing', count: 2, link: 'https://hookline.example/console/' },
  ])
  expect((summary![1]['title'] as string).split('\n')).toEqual([
    '2 problems were reported before this channel was added or enabled:',
    '- The data disk has 0 MiB of free space.',
    expect.stringContaining('- CRM: '),
  ])
  expect(watched.appended.at(-1)!.event.integrations).toEqual({ All: false, dst_second: true })
  // It missed the reports while it was disabled.
  await channel('dst_second', 2, false)
  await watched.check()
  await channel('dst_second', 3)
  await watched.checkTimes(3)
  expect(watched.names.slice(2)).toEqual(['Current Problems', 'Current Problems'])
})

test('a channel that is added while nothing is wrong gets no summary', async () => {
  await using watched = await WatchedBackend.open()
  watched.freeBytes = 0
  await watched.check()
  watched.freeBytes = 1e12
  await watched.check()
  await watched.backend.catalog.putDestination(
    newDestination({ id: 'dst_second', sourceId: 'src_hookline' }),
  )
  await watched.checkTimes(2)
  expect(watched.states).toEqual(['started', 'ended'])
})

test('refused calls that follow a reported one are reported after an hour, with the total', async () => {
  await using watched = await WatchedBackend.open()
  await watched.count({ 'rejected.unknown_write_key': 1 }, '')
  await watched.checkTimes(5)
  await watched.check(10 * MINUTE)
  await watched.count({ 'rejected.unknown_write_key': 5_000 }, '')
  await watched.checkTimes(5)
  expect(watched.events.map(([, { count }]) => count)).toEqual([1])
  await watched.check(55 * MINUTE)
  await watched.checkTimes(5)
  expect(watched.events.map(([, { count }]) => count)).toEqual([1, 5_001])
})

test('after the clock was set back, an alert waits no longer than an hour', async () => {
  await using watched = await WatchedBackend.open()
  watched.freeBytes = 0
  await watched.check()
  watched.freeBytes = 1e12
  await watched.check()
  watched.clock.jump(-30 * DAY)
  watched.freeBytes = 0
  await watched.check()
  expect(watched.states).toEqual(['started', 'ended'])
  await watched.check(HOUR)
  expect(watched.states).toEqual(['started', 'ended', 'started'])
})

test('a stored state from a later version does not stop other alerts', async () => {
  await using watched = await WatchedBackend.open()
  const state = { condition: 'later', userId: 'a', isActive: true, changedAt: NOON, heldBack: 0 }
  await watched.backend.alertStates.put(new Map([['later a', JSON.stringify(state)]]))
  watched.freeBytes = 0
  await watched.check()
  expect(watched.names).toEqual(['Disk Low'])
})

test('recoveries of failures that were never reported do not use up the alert limit', async () => {
  await using watched = await WatchedBackend.open()
  const ids = Array.from({ length: 70 }, (_, index) => `dst_${String(index).padStart(3, '0')}`)
  for (const id of ids) {
    await watched.backend.catalog.putDestination(newDestination({ id }))
    await watched.count({ 'attempts.5xx': 5 }, id)
  }
  await watched.checkTimes(8)
  watched.freeBytes = 0
  await watched.check()
  expect(watched.names.at(-1)).toBe('Disk Low')
  await watched.check(6 * MINUTE)
  for (const id of ids) await watched.count({ 'attempts.2xx': 20 }, id)
  await watched.checkTimes(8)
  await watched.check(HOUR)
  const before = watched.names.length
  await watched.backend.catalog.putDestination(newDestination({ id: 'dst_new' }))
  await watched.count({ 'attempts.5xx': 5 }, 'dst_new')
  await watched.checkTimes(5)
  expect(watched.names.slice(before)).toEqual(['Webhook Failing'])
  const recovered = watched.names.filter((name) => name === 'Webhook Recovered')
  expect(recovered).toHaveLength(30)
})

test.each([
  ['removed', undefined],
  ['disabled', { enabled: false }],
  ['paused', { paused: { since: NOON, reason: 'operator' as const } }],
])(
  'a problem that begins while the only channel is %s is reported to the next one',
  async (_, change) => {
    await using watched = await WatchedBackend.open()
    const { catalog } = watched.backend
    if (change === undefined) await catalog.removeDestination(CHANNEL.id)
    else await catalog.putDestination({ ...CHANNEL, ...change, version: 2 })
    watched.freeBytes = 0
    await watched.checkTimes(3)
    expect(watched.names).toEqual([])
    await catalog.putDestination({ ...CHANNEL, id: 'dst_next' })
    await watched.check()
    expect(watched.names).toEqual(['Disk Low'])
  },
)

test('a destination that recovered in the minute before a restart recovers without another delivery', async () => {
  await using watched = await WatchedBackend.open()
  await watched.count({ 'attempts.5xx': 12 })
  await watched.checkTimes(5)
  await watched.count({ 'attempts.2xx': 1 })
  await watched.restart()
  await watched.checkTimes(12)
  expect(watched.names).toEqual(['Webhook Failing', 'Webhook Recovered'])
})
