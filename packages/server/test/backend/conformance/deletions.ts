import { type AcceptedEvent, formatTimestamp, newId } from '@hookline/protocol'
import { describe, expect, test } from 'vitest'
import type { Deletion, DeletionRequest, Purge } from '../../../src/backend/deletions.ts'
import { purgeAll } from '../../harness/purge-all.ts'
import { acceptedEvent, NOON } from '../../harness/accepted-event.ts'
import type { BackendHarness, OpenBackendHarness } from './backend-harness.ts'
import { recordDelivery } from './recorded-delivery.ts'

async function request(
  { backend }: BackendHarness,
  change: Partial<DeletionRequest> = {},
  userIds: readonly string[] = ['u1'],
): Promise<DeletionRequest> {
  const createdAt = change.createdAt ?? NOON
  const made: DeletionRequest = {
    id: newId('del', createdAt),
    createdAt,
    sourceIds: null,
    suppress: false,
    users: userIds.length,
    ...change,
  }
  await backend.deletions.create(made, userIds)
  return made
}

async function receive(
  { backend }: BackendHarness,
  ...given: readonly Parameters<typeof acceptedEvent>[0][]
): Promise<AcceptedEvent[]> {
  const events = given.map(acceptedEvent)
  await backend.log.append(events)
  return events
}

async function afterPurge({ backend }: BackendHarness, purge: Purge): Promise<Deletion> {
  await purgeAll(backend.deletions, purge)
  return (await backend.deletions.find(purge.deletionId))!
}

async function keptIds({ backend }: BackendHarness): Promise<string[]> {
  return (await backend.events.list({}, { limit: 200 })).data.map(({ id }) => id)
}

export function deletionsConformance(open: OpenBackendHarness): void {
  describe('deletions', () => {
    test('keep a request with its users, and find it after a restart', async () => {
      await using harness = await open()
      const made = await request(harness, { sourceIds: ['src_a'], suppress: true }, ['b', 'a'])
      await harness.reopen()
      const { deletions } = harness.backend
      expect(await deletions.find(made.id)).toEqual({
        ...made,
        step: 'suppress',
        startedAt: null,
        suppressedAt: null,
        purgedAt: null,
        notifiedAt: null,
        purged: { events: 0, deliveries: 0 },
      })
      expect(await deletions.users(made.id, { after: '', limit: 1 })).toEqual(['a'])
      expect(await deletions.users(made.id, { after: 'a', limit: 9 })).toEqual(['b'])
      expect(await deletions.find('del_none')).toBeUndefined()
    })

    test('go from step to step, each recorded once', async () => {
      await using harness = await open()
      const { deletions } = harness.backend
      const { id } = await request(harness, { suppress: true })
      const steps = ['suppress', 'purge', 'notify', 'done'] as const
      for (const [index, step] of steps.entries()) {
        await deletions.advance(id, step, NOON + index)
        await deletions.advance(id, step, NOON + 100)
        expect((await deletions.find(id))?.step).toBe(step)
      }
      expect(await deletions.find(id)).toMatchObject({
        startedAt: NOON,
        suppressedAt: NOON + 1,
        purgedAt: NOON + 2,
        notifiedAt: NOON + 3,
      })
    })

    test('skip the suppression where none is requested, and never go back or skip another step', async () => {
      await using harness = await open()
      const { deletions } = harness.backend
      const { id } = await request(harness)
      await deletions.advance(id, 'done', NOON)
      expect(await deletions.find(id)).toMatchObject({ step: 'purge', startedAt: null })
      await deletions.advance(id, 'purge', NOON + 1)
      await deletions.advance(id, 'notify', NOON + 2)
      await deletions.advance(id, 'purge', NOON + 3)
      expect(await deletions.find(id)).toMatchObject({
        step: 'notify',
        startedAt: NOON + 1,
        suppressedAt: null,
      })
    })

    test('are listed newest first, with isOpen only those with steps left', async () => {
      await using harness = await open()
      const { deletions } = harness.backend
      const [old, done, young] = [
        await request(harness, { createdAt: NOON }),
        await request(harness, { createdAt: NOON + 1 }),
        await request(harness, { createdAt: NOON + 2 }),
      ]
      for (const step of ['purge', 'notify', 'done'] as const)
        await deletions.advance(done.id, step, NOON)
      const left = await deletions.list({ isOpen: true }, { limit: 9 })
      expect(left.data.map(({ id }) => id)).toEqual([young.id, old.id])
      const first = await deletions.list({}, { limit: 2 })
      const second = await deletions.list({}, { limit: 2, cursor: first.nextCursor! })
      expect([...first.data, ...second.data].map(({ id }) => id)).toEqual([
        young.id,
        done.id,
        old.id,
      ])
      expect(second.nextCursor).toBeNull()
    })
  })

  describe('a purge', () => {
    test('removes events with the userId, and calls that name it as the former one, with deliveries and attempts', async () => {
      await using harness = await open()
      const { backend } = harness
      const [mine, alias, other] = await receive(
        harness,
        {},
        { type: 'alias', userId: 'u2', previousId: 'u1' },
        { userId: 'u2' },
      )
      await backend.events.archive([
        { event: mine!, declined: [{ destinationId: 'dst_b', reason: 'integrations' }] },
      ])
      const parked = await recordDelivery(harness, {}, acceptedEvent())
      const { id: deletionId } = await request(harness)
      const purge = { deletionId, userIds: ['u1'], sourceIds: null, until: NOON }
      const { purged } = await afterPurge(harness, purge)
      expect(purged).toEqual({ events: 3, deliveries: 1 })
      expect(await keptIds(harness)).toEqual([other!.id])
      expect(await backend.events.find(alias!.id)).toBeUndefined()
      expect(await backend.deliveries.find(parked.id)).toBeUndefined()
      const claim = await backend.deliveries.claim('dst_a', { now: NOON, limit: 9 })
      expect([...claim.deliveries, ...claim.unreadable]).toEqual([])
      expect((await afterPurge(harness, purge)).purged).toEqual(purged)
    })

    test('removes the search texts of ended replays, which may have data of the user', async () => {
      await using harness = await open()
      const { replays, deletions } = harness.backend
      const selection = {
        destinationId: 'dst_a',
        states: ['expired'],
        from: 0,
        to: NOON,
        text: 'ada@example.com',
        includeDeclined: false,
      } as const
      const [ended, running] = [newId('rpl', NOON), newId('rpl', NOON)]
      const counts = { scanned: 0, requeued: 0, delivered: 0, failed: 0 }
      const fresh = { ...counts, state: 'queued', finishedAt: null } as const
      for (const id of [ended, running])
        await replays.create({
          ...fresh,
          id,
          selection,
          ratePerSecond: 5,
          createdAt: NOON,
          reachedAt: null,
          cursor: null,
        })
      await replays.cancel(ended, NOON)
      const { id: deletionId } = await request(harness)
      await purgeAll(deletions, { deletionId, userIds: ['u1'], sourceIds: null, until: NOON })
      const { text: _, ...rest } = selection
      expect(await replays.find(ended)).toMatchObject({ state: 'cancelled', ratePerSecond: 5 })
      expect((await replays.find(ended))?.selection).toEqual(rest)
      expect((await replays.find(running))?.selection).toEqual(selection)
    })

    test('does not touch other sources, or later events', async () => {
      await using harness = await open()
      const late = NOON + 1
      const [, elsewhere, later] = await receive(
        harness,
        {},
        { sourceId: 'src_b' },
        { at: late, receivedAt: formatTimestamp(late) },
      )
      const { id: deletionId } = await request(harness)
      const purge = { deletionId, userIds: ['u1'], sourceIds: ['src_a'], until: NOON }
      await afterPurge(harness, purge)
      expect(await keptIds(harness)).toEqual([later!.id, elsewhere!.id])
    })

    test('goes through any number of events and users, slice by slice', async () => {
      await using harness = await open()
      const userIds = Array.from({ length: 30 }, (_, index) => `user-${index}`)
      for (const userId of userIds)
        await receive(harness, ...Array.from({ length: 50 }, () => ({ userId })))
      const [stranger] = await receive(harness, { userId: 'stranger' })
      const { id: deletionId } = await request(harness, {}, userIds)
      const { purged } = await afterPurge(harness, {
        deletionId,
        userIds,
        sourceIds: null,
        until: NOON,
      })
      expect(purged.events).toBe(1500)
      expect(await keptIds(harness)).toEqual([stranger!.id])
    })

    test('finds the few events of a user among any number of others', async () => {
      await using harness = await open()
      const count = 20_000
      const isMine = (index: number): boolean => index % 1000 === 7 || index > count - 300
      await receive(
        harness,
        ...Array.from({ length: count }, (_, index) => ({ userId: isMine(index) ? 'u1' : 'u2' })),
        { type: 'alias', userId: 'u2', previousId: 'u1' },
      )
      const { id: deletionId } = await request(harness)
      const purge = { deletionId, userIds: ['u0', 'u1'], sourceIds: null, until: NOON }
      const { purged } = await afterPurge(harness, purge)
      expect(purged.events).toBe(20 + 299 + 1)
      const { events } = harness.backend
      expect((await events.list({ userId: 'u1' }, { limit: 9 })).data).toEqual([])
      expect((await events.list({ userId: 'u2' }, { limit: 9 })).data).toHaveLength(9)
    })

    test('of an empty archive ends in one slice', async () => {
      await using harness = await open()
      const { id: deletionId } = await request(harness)
      const purge = { deletionId, userIds: ['u1'], sourceIds: null, until: NOON }
      expect(await harness.backend.deletions.purge(purge)).toBeNull()
    })

    test('is known as soon as it is called, for parts that still have an event in memory', async () => {
      await using harness = await open()
      const { deletions } = harness.backend
      const { id: deletionId } = await request(harness)
      const mine = acceptedEvent()
      expect(deletions.isPurged(mine)).toBe(false)
      const purging = deletions.purge({
        deletionId,
        userIds: ['u1'],
        sourceIds: ['src_a'],
        until: NOON,
      })
      expect(deletions.isPurged(mine)).toBe(true)
      await purging
      expect(deletions.isPurged(mine)).toBe(true)
      const alias = { type: 'alias', userId: 'u2', previousId: 'u1' } as const
      expect(deletions.isPurged(acceptedEvent(alias))).toBe(true)
      const later = formatTimestamp(NOON + 1)
      for (const innocent of [
        acceptedEvent({ userId: 'u2' }),
        acceptedEvent({ sourceId: 'src_b' }),
        acceptedEvent({ receivedAt: later }),
      ])
        expect(deletions.isPurged(innocent)).toBe(false)
      const notice = { type: 'delete', userId: 'u1', timestamp: later, receivedAt: later } as const
      const carried = { id: deletionId, sourceId: 'src_a', event: notice }
      expect(deletions.isPurged(carried)).toBe(false)
    })

    test('of one source does not widen another one of the same user', async () => {
      await using harness = await open()
      const { deletions } = harness.backend
      const [first, second] = [await request(harness), await request(harness)]
      const users = { userIds: ['u1'] }
      await deletions.purge({ deletionId: first.id, ...users, sourceIds: ['src_a'], until: NOON })
      const until = NOON + 10
      await deletions.purge({ deletionId: second.id, ...users, sourceIds: ['src_b'], until })
      const receivedAt = formatTimestamp(NOON + 5)
      expect(deletions.isPurged(acceptedEvent({ receivedAt }))).toBe(false)
      expect(deletions.isPurged(acceptedEvent({ receivedAt, sourceId: 'src_b' }))).toBe(true)
      expect(deletions.isPurged(acceptedEvent())).toBe(true)
    })

    test('may be followed by erasing, while others write', async () => {
      await using harness = await open()
      const { backend } = harness
      const { id: deletionId } = await request(harness)
      await receive(harness, {}, {})
      await afterPurge(harness, { deletionId, userIds: ['u1'], sourceIds: null, until: NOON })
      const erasing = backend.deletions.erase(new AbortController().signal)
      const [event] = await receive(harness, { userId: 'u2' })
      await erasing
      expect(await keptIds(harness)).toEqual([event!.id])
      await harness.reopen()
      expect(await keptIds(harness)).toEqual([event!.id])
    })
  })
}
