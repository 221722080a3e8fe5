import { type AcceptedEvent, type Attempt, newId } from '@hookline/protocol'
import { describe, expect, test } from 'vitest'
import type { Backend } from '../../../../src/backend/backend.ts'
import { NOON } from '@hookline/testing/records/accepted-event'
import { newReplay } from '@hookline/testing/records/new-replay'
import { purgeAll } from '@hookline/testing/engine/purge-all'
import type { BackendHarness, OpenBackendHarness } from '../backend-harness.ts'
import { receive, request } from './purge-requests.ts'
import { attemptOf, deliveryOf, LANE } from '../deliveries/recorded-delivery.ts'

const reason = 'It cannot be read.'

function attempt(): Attempt {
  return attemptOf({ id: newId('att', NOON) })
}

/** Every way to write data about an event. */
export const WRITES: readonly [
  name: string,
  write: (b: Backend, e: AcceptedEvent) => Promise<unknown>,
][] = [
  [
    'a delivery and its attempt',
    ({ deliveries }, event) =>
      deliveries.record([
        { delivery: deliveryOf(event, { attemptCount: 1 }), attempts: [attempt()] },
      ]),
  ],
  [
    'a decision',
    ({ events }, event) =>
      events.archive([{ event, declined: [{ destinationId: 'dst_b', reason: 'integrations' }] }]),
  ],
  [
    'a delivery in quarantine',
    ({ quarantine }, event) => {
      const delivery = deliveryOf(event)
      return quarantine.add([{ id: delivery.id, reason, at: NOON, delivery }])
    },
  ],
  [
    'an event in quarantine',
    ({ quarantine }, { id }) => quarantine.add([{ id, reason, at: NOON }]),
  ],
  [
    'a replay',
    async ({ replays }, event) => {
      const replay = newReplay({ selection: { includeDeclined: true } })
      await replays.create(replay)
      const deliveries = [{ id: deliveryOf(event).id, eventId: event.id }]
      const step = { deliveries, scanned: 1, reachedAt: NOON, cursor: null, now: NOON }
      expect(await replays.advance(replay, step)).toMatchObject({ requeued: 0 })
    },
  ],
  ['a retry', ({ replays }, event) => replays.retry(deliveryOf(event).id, NOON)],
]

/** Everything that can still be read about an event. */
async function readableRemains({ events, deliveries, upkeep }: Backend, event: AcceptedEvent) {
  const { waiting, quarantined } = await upkeep.backlog()
  const listed = await deliveries.list({}, { limit: 9 })
  const claims = [
    await deliveries.claim(LANE, { due: NOON, limit: 9 }),
    await deliveries.claimUnsplit(9),
  ]
  const claimed = claims.flatMap((claim) => [...claim.deliveries, ...claim.unreadable])
  const counted = waiting.filter(({ count }) => count > 0)
  return {
    event: await events.find(event.id),
    delivery: await deliveries.find(deliveryOf(event).id),
    rows: [...listed.data, ...claimed, ...counted].length,
    quarantined,
  }
}

async function purged(harness: BackendHarness): Promise<AcceptedEvent> {
  const [event] = await receive(harness, {})
  const { id: deletionId } = await request(harness)
  await purgeAll(harness.backend.deletions, { deletionId, userIds: ['u1'], sourceIds: null })
  return event!
}

const NOTHING = { event: undefined, delivery: undefined, rows: 0, quarantined: 0 }

/** The database refuses writes about a purged event, even after a restart. */
export function refusedAfterPurgeConformance(open: OpenBackendHarness): void {
  describe('after a purge of its event, nothing is stored of', () => {
    test.each(WRITES)('%s', async (_, write) => {
      await using harness = await open()
      const event = await purged(harness)
      await write(harness.backend, event)
      expect(await readableRemains(harness.backend, event)).toEqual(NOTHING)
      await harness.reopen()
      await write(harness.backend, event)
      expect(await readableRemains(harness.backend, event)).toEqual(NOTHING)
    })
  })

  test('after a purge, only the record of the purged event is refused', async () => {
    await using harness = await open()
    const event = await purged(harness)
    const others = await receive(harness, { userId: 'u2' }, {})
    const records = [event, ...others].map((each) => ({
      delivery: deliveryOf(each, { attemptCount: 1 }),
      attempts: [attempt()],
    }))
    await harness.backend.deliveries.record(records)
    const { data } = await harness.backend.deliveries.list({}, { limit: 9 })
    const ids = others.map((each) => deliveryOf(each).id)
    expect(data.map(({ id }) => id).toSorted()).toEqual(ids.toSorted())
    expect(data.map(({ attempts }) => attempts.length)).toEqual([1, 1])
  })
}
