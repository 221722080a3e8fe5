import type { AcceptedEvent, Attempt, Delivery } from '@hookline/protocol'
import { pino } from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import { StatisticsRecorder } from '../../src/activity/statistics-recorder.ts'
import { type Backend, BackendUnavailableError } from '../../src/backend/backend.ts'
import { openEmbeddedBackend } from '../../src/backend/embedded/open.ts'
import type { CountsRange, CountsRow, Span } from '../../src/backend/statistics.ts'
import { deliveryId } from '../../src/delivery/sending/webhook-request.ts'
import type { DeliveryActivity } from '../../src/telemetry/activity-listener.ts'
import { acceptedEvent, NOON } from '@hookline/testing/records/accepted-event'
import { newDestination } from '@hookline/testing/records/catalog-records'
import { clockWatchOf } from '@hookline/testing/clocks/clock-watch-of'
import { computedEvent } from '@hookline/testing/records/computed-event'
import { ManualClock } from '@hookline/testing/clocks/manual-clock'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE

interface Setup {
  readonly backend: Backend
  readonly clock: ManualClock
  readonly recorder: StatisticsRecorder
  readonly rows: (span: Span) => Promise<CountsRow[]>
}

async function setUp(): Promise<Setup> {
  const folder = new TemporaryFolder()
  const backend = await openEmbeddedBackend({ dataDir: folder.path, maxWaitingBytes: 2 ** 20 })
  const clock = new ManualClock(NOON)
  const { catalog, upkeep, signals } = backend
  const recorder = new StatisticsRecorder({
    statistics: backend.statistics,
    catalog,
    upkeep,
    signals,
    clock,
    clockWatch: clockWatchOf(clock),
    logger: pino({ level: 'silent' }),
  })
  recorder.start()
  onTestFinished(async () => {
    await recorder[Symbol.asyncDispose]()
    await backend[Symbol.asyncDispose]()
    folder[Symbol.dispose]()
  })
  const rows = async (span: Span): Promise<CountsRow[]> => {
    const found: CountsRow[] = []
    const range = { span, from: NOON - DAY, to: NOON + 500 * DAY }
    for await (const batch of backend.statistics.read(range)) found.push(...batch)
    return found
  }
  return { backend, clock, recorder, rows }
}

function deliveryOf(event: AcceptedEvent, change: Partial<Delivery> = {}): Delivery {
  return {
    id: deliveryId(event.id, 'dst_a'),
    eventId: event.id,
    destinationId: 'dst_a',
    state: 'delivered',
    attemptCount: 1,
    firstDueAt: NOON,
    dueAt: null,
    webhooks: [],
    ...change,
  }
}

/** A record that completed the delivery. */
const recordOf = (event: AcceptedEvent, change: Partial<Delivery> = {}): DeliveryActivity => ({
  delivery: deliveryOf(event, change),
  attempts: [],
  isEnd: true,
})

test('writes one row for the minute and one for the hour, by source and destination', async () => {
  const { clock, recorder, rows } = await setUp()
  const event = acceptedEvent()
  recorder.received([event, acceptedEvent({ sourceId: 'src_b' })])
  recorder.decided({ event, destinationId: 'dst_a', decision: 'integrations' })
  recorder.decided({ event, destinationId: 'dst_a', decision: 'deliver' })
  recorder.decided({ event, destinationId: null, decision: 'duplicate' })
  recorder.recorded(recordOf(event, { state: 'expired' }))
  recorder.recorded(recordOf(event, { state: 'declined' }))
  recorder.recorded({ ...recordOf(event, { state: 'pending' }), isEnd: false })
  expect(await rows('minute')).toEqual([])
  clock.advance(MINUTE)
  await expect.poll(() => rows('hour')).not.toEqual([])
  const expected = [
    {
      sourceId: '',
      destinationId: 'dst_a',
      counts: { 'failed.expired': 1, 'declined.transform_declined': 1 },
    },
    { sourceId: 'src_a', destinationId: '', counts: { received: 1, duplicate: 1 } },
    { sourceId: 'src_a', destinationId: 'dst_a', counts: { 'declined.integrations': 1 } },
    { sourceId: 'src_b', destinationId: '', counts: { received: 1 } },
  ]
  for (const span of ['minute', 'hour'] as const) {
    expect(await rows(span)).toEqual(expected.map((row) => ({ span, start: NOON, ...row })))
  }
})

test('counts computed events under the source of each destination, but not as received', async () => {
  const { backend, clock, recorder, rows } = await setUp()
  await backend.catalog.putDestination(newDestination({ id: 'dst_b', sourceId: 'src_b' }))
  const event = computedEvent(['dst_b'])
  recorder.received([event])
  recorder.decided({ event, destinationId: 'dst_b', decision: 'destination_disabled' })
  recorder.recorded(recordOf(event, { destinationId: 'dst_b', state: 'expired' }))
  clock.advance(MINUTE)
  await expect.poll(() => rows('minute')).not.toEqual([])
  const counts = { 'declined.destination_disabled': 1, 'failed.expired': 1 }
  expect(await rows('minute')).toMatchObject([
    { sourceId: 'src_b', destinationId: 'dst_b', counts },
  ])
})

test('counts how many users entered and left an audience', async () => {
  const { clock, recorder, rows } = await setUp()
  recorder.changed({ computationId: 'aud_a', entered: 2, left: 0 })
  recorder.changed({ computationId: 'aud_a', entered: 1, left: 3 })
  clock.advance(MINUTE)
  await expect.poll(() => rows('minute')).not.toEqual([])
  expect(await rows('minute')).toMatchObject([
    { sourceId: 'aud_a', destinationId: '', counts: { entered: 3, left: 3 } },
  ])
})

test('counts ids that profiles did not link, by reason', async () => {
  const { clock, recorder, rows } = await setUp()
  recorder.unlinked({ sourceId: 'src_a', reason: 'placeholder', ids: 2 })
  recorder.unlinked({ sourceId: 'src_a', reason: 'limit', ids: 1 })
  clock.advance(MINUTE)
  await expect.poll(() => rows('minute')).not.toEqual([])
  const counts = { 'unlinked.placeholder': 2, 'unlinked.limit': 1 }
  expect(await rows('minute')).toMatchObject([{ sourceId: 'src_a', destinationId: '', counts }])
})

test('records the latency of deliveries, except for replays', async () => {
  const { clock, recorder, rows } = await setUp()
  const event = acceptedEvent()
  clock.advance(100)
  recorder.recorded(recordOf(event))
  recorder.recorded(recordOf(event, { replayId: 'rpl_a' }))
  clock.advance(MINUTE)
  await expect.poll(() => rows('minute')).not.toEqual([])
  expect((await rows('minute'))[0]?.counts).toEqual({ delivered: 2, 'latency.49': 1 })
})

test('counts a delivery once, even if other webhooks have results after it is complete', async () => {
  const { clock, recorder, rows } = await setUp()
  const ended = recordOf(acceptedEvent())
  recorder.recorded(ended)
  clock.advance(100)
  recorder.recorded({ ...ended, isEnd: false })
  clock.advance(MINUTE)
  await expect.poll(() => rows('minute')).not.toEqual([])
  expect((await rows('minute'))[0]?.counts).toMatchObject({ delivered: 1 })
})

test('counts rejected calls per minute, and samples the number of pending deliveries', async () => {
  const { backend, clock, recorder, rows } = await setUp()
  recorder.rejected('unknown_write_key', 3)
  const event = acceptedEvent()
  await backend.log.append([event])
  const parked = deliveryOf(event, { state: 'pending', dueAt: NOON })
  await backend.deliveries.record([{ delivery: parked, attempts: [] }])
  clock.advance(MINUTE)
  await expect.poll(() => rows('minute')).toHaveLength(2)
  recorder.rejected('rate_limited', 1, 'src_a')
  clock.advance(MINUTE)
  await expect.poll(() => rows('minute')).toHaveLength(4)
  const counts = (await rows('minute')).map((row) => row.counts)
  const pending = { 'pending.sum': 1, 'pending.samples': 1 }
  expect(counts).toEqual([
    { 'rejected.unknown_write_key': 3 },
    pending,
    pending,
    { 'rejected.rate_limited': 1 },
  ])
  expect((await rows('minute')).at(-1)).toMatchObject({ sourceId: 'src_a' })
})

test('writes the current minute when it stops, and adds to it after a restart', async () => {
  const { recorder, rows } = await setUp()
  recorder.received([acceptedEvent()])
  await recorder[Symbol.asyncDispose]()
  recorder.received([acceptedEvent()])
  await recorder[Symbol.asyncDispose]()
  expect((await rows('minute')).map(({ counts }) => counts)).toEqual([{ received: 2 }])
})

test('removes the minute rows after 7 days, and keeps the hour rows', async () => {
  const { clock, recorder, rows } = await setUp()
  recorder.received([acceptedEvent()])
  clock.advance(MINUTE)
  await expect.poll(() => rows('hour')).toHaveLength(1)
  // Minutes without activity have no row.
  clock.advance(8 * DAY)
  recorder.received([acceptedEvent()])
  clock.advance(MINUTE)
  await expect.poll(() => rows('hour')).toHaveLength(2)
  await expect.poll(() => rows('minute')).toHaveLength(1)
})

test('writes counts later if a write fails', async () => {
  let isAway = true
  const { backend, clock, recorder } = await setUp()
  const add = backend.statistics.add.bind(backend.statistics)
  backend.statistics.add = async (rows) => {
    if (isAway) throw new BackendUnavailableError('disk full')
    await add(rows)
  }
  recorder.received([acceptedEvent()])
  clock.advance(MINUTE)
  recorder.received([acceptedEvent()])
  const setup = { recorder } as Setup
  expect(await receivedIn(setup)).toEqual({})
  isAway = false
  expect(await receivedIn(setup)).toEqual({ src_a: 2 })
})

test('counts at most 5,000 pairs of source and destination separately', async () => {
  const { clock, recorder, rows } = await setUp()
  recorder.received(
    Array.from({ length: 5_010 }, (_, index) => acceptedEvent({ sourceId: `src_${index}` })),
  )
  clock.advance(MINUTE)
  await expect.poll(() => rows('minute')).toHaveLength(5_001)
  expect((await rows('minute'))[0]).toMatchObject({ sourceId: '', counts: { received: 10 } })
})

test('counts attempts by status class, and how many of them are retried', async () => {
  const { clock, recorder, rows } = await setUp()
  const attempt = (outcome: Attempt['outcome'], status?: number): Attempt => ({
    id: 'att_a',
    number: 1,
    url: 'https://a.example',
    startedAt: NOON,
    durationMs: 5,
    outcome,
    class: 'timeout',
    ...(status !== undefined && { status }),
  })
  const pending = { ...recordOf(acceptedEvent(), { state: 'pending' }), isEnd: false }
  recorder.recorded({ ...pending, attempts: [attempt('retry', 503), attempt('retry', 429)] })
  recorder.recorded({ ...pending, attempts: [attempt('retry')] })
  recorder.recorded({ ...pending, attempts: [attempt('delivered', 204), attempt('rejected', 400)] })
  clock.advance(MINUTE)
  await expect.poll(() => rows('minute')).not.toEqual([])
  expect((await rows('minute'))[0]?.counts).toEqual({
    'attempts.5xx': 1,
    'attempts.4xx': 2,
    'attempts.no_response': 1,
    'attempts.2xx': 1,
    retried: 3,
  })
})

/** The received calls by source, as `recorder.read` returns them for the range. */
async function receivedIn(
  { recorder }: Setup,
  range: Partial<CountsRange> = {},
): Promise<Record<string, number>> {
  const sums: Record<string, number> = {}
  const whole = { span: 'minute', from: NOON - DAY, to: NOON + DAY, ...range } as const
  for await (const rows of recorder.read(whole))
    for (const { sourceId, counts } of rows)
      sums[sourceId] = (sums[sourceId] ?? 0) + (counts['received'] ?? 0)
  return sums
}

test('reads the counts of the current minute before they are written, but only within the range', async () => {
  const setup = await setUp()
  setup.recorder.received([acceptedEvent(), acceptedEvent({ sourceId: 'src_b' })])
  expect(await receivedIn(setup)).toEqual({ src_a: 1, src_b: 1 })
  expect(await receivedIn(setup, { span: 'hour' })).toEqual({ src_a: 1, src_b: 1 })
  expect(await receivedIn(setup, { sourceId: 'src_b' })).toEqual({ src_b: 1 })
  expect(await receivedIn(setup, { destinationId: 'dst_a' })).toEqual({})
  expect(await receivedIn(setup, { to: NOON })).toEqual({})
  expect(await receivedIn(setup, { from: NOON + MINUTE })).toEqual({})
})

test('reads each count once, even if the minute ends during the reads', async () => {
  const setup = await setUp()
  const { clock, recorder } = setup
  for (let minute = 1; minute <= 20; minute++) {
    recorder.received([acceptedEvent()])
    const before = receivedIn(setup)
    await Promise.resolve()
    clock.advance(MINUTE)
    const during = receivedIn(setup)
    expect(await Promise.all([before, during, receivedIn(setup)])).toEqual(
      Array.from({ length: 3 }, () => ({ src_a: minute })),
    )
  }
})

test('a read that ends early does not block the write of the next minute', async () => {
  const { clock, recorder, rows } = await setUp()
  recorder.received([acceptedEvent()])
  for await (const _rows of recorder.read({ span: 'minute', from: NOON, to: NOON + DAY })) break
  clock.advance(MINUTE)
  await expect.poll(() => rows('minute')).toHaveLength(1)
})
