import { withParsedFields } from '../../../../src/backend/accepted-event.ts'
import type { EventOutcome } from '@hookline/protocol'
import { describe, expect, test } from 'vitest'
import type { EventFilter } from '../../../../src/backend/events.ts'
import { acceptedEvent, NOON } from '@hookline/testing/records/accepted-event'
import type { BackendHarness, OpenBackendHarness } from '../backend-harness.ts'

import { deliveryOf, recordDelivery } from '../deliveries/recorded-delivery.ts'
import { DEDUPE_WINDOW_MS } from '../backend-harness.ts'

/** Appends and archives an event like ingest and pipeline. Returns whether it was a duplicate. */
async function receive(
  { backend }: BackendHarness,
  event: ReturnType<typeof acceptedEvent>,
  declined: Parameters<BackendHarness['backend']['events']['archive']>[0][number]['declined'] = [],
): Promise<boolean> {
  await backend.log.append([event])
  return (await backend.events.archive([{ event, declined }])).has(event.id)
}

/** The ids of all pages, and the number of pages. */
async function listed(
  { backend }: BackendHarness,
  filter: EventFilter,
  limit: number,
): Promise<{ readonly ids: readonly string[]; readonly pages: number }> {
  const ids: string[] = []
  let pages = 0
  for (let cursor: string | null | undefined; cursor !== null; pages++) {
    const page = await backend.events.list(filter, { limit, ...(cursor && { cursor }) })
    ids.push(...page.data.map(({ id }) => id))
    cursor = page.nextCursor
  }
  return { ids, pages }
}

export function eventsConformance(open: OpenBackendHarness): void {
  describe('the archive of events', () => {
    test('returns an event as accepted, with its warnings and declined destinations', async () => {
      await using harness = await open()
      const event = acceptedEvent({ warnings: ['precision_lost', 'timestamp_unreadable'] })
      const declined = [
        { destinationId: 'dst_a', reason: 'integrations' as const },
        { destinationId: 'dst_b', reason: 'destination_disabled' as const, since: NOON - 1 },
      ]
      await receive(harness, event, declined)
      await harness.reopen()
      expect(await harness.backend.events.find(event.id)).toEqual({
        ...withParsedFields(event),
        declined,
        duplicates: 0,
        lastDuplicateAt: null,
      })
      expect(await harness.backend.events.find('evt_none')).toBeUndefined()
    })

    test('refuses an invalid cursor, like the other lists', async () => {
      await using harness = await open()
      const { events, audit, suppressions, memberships } = harness.backend
      await receive(harness, acceptedEvent())
      for (const cursor of ['x', '-1', 'NaN', '1e400', '1.x', '9'.repeat(30)]) {
        const page = { limit: 1, cursor }
        const lists = [
          () => events.list({}, page),
          () => audit.list({}, page),
          () => suppressions.list({}, page),
          () => memberships.list('aud_a', page),
        ]
        for (const list of lists)
          await expect((async () => list())()).rejects.toMatchObject({ name: 'InvalidCursorError' })
      }
    })

    test('stores and finds an event with any text', async () => {
      await using harness = await open()
      const text = '\uF8FF0 \uF8FF1 \0'
      const integrations = { [text]: true }
      const ids = { userId: text, anonymousId: `a ${text}`, messageId: `m ${text}` }
      const event = acceptedEvent({ ...ids, event: text, integrations, properties: { text } })
      await receive(harness, event)
      const found = await harness.backend.events.find(event.id)
      expect(found).toMatchObject({ ...ids, event: event.event, rest: event.rest })
      for (const filter of [...Object.entries(ids), ['event', text], ['text', text]] as const)
        expect((await listed(harness, Object.fromEntries([filter]), 9)).ids).toEqual([event.id])
    })

    test('reports and counts a second event with the same source and messageId, but does not store it', async () => {
      await using harness = await open()
      const [first, again] = [acceptedEvent({ messageId: 'm' }), acceptedEvent({ messageId: 'm' })]
      expect(await receive(harness, first)).toBe(false)
      expect(await receive(harness, again)).toBe(true)
      expect((await harness.backend.events.find(first.id))?.duplicates).toBe(1)
      expect(await harness.backend.events.find(again.id)).toBeUndefined()
    })

    test('returns the time of the last duplicate of an event', async () => {
      await using harness = await open()
      const [first, ...later] = [0, 7, 5].map((ms) =>
        acceptedEvent({ messageId: 'm', at: NOON + ms }),
      )
      await receive(harness, first!)
      for (const [index, at] of [NOON + 7, NOON + 5].entries()) {
        await receive(harness, later[index]!)
        const counted = { duplicates: index + 1, lastDuplicateAt: at }
        expect(await harness.backend.events.find(first!.id)).toMatchObject(counted)
        const { data } = await harness.backend.events.list({ messageId: 'm' }, { limit: 9 })
        expect(data).toMatchObject([counted])
      }
    })

    test('reports duplicates within one call and across a restart', async () => {
      await using harness = await open()
      const events = [1, 2, 3].map(() => acceptedEvent({ messageId: 'm' }))
      await harness.backend.log.append(events)
      const entries = events.map((event) => ({ event, declined: [] }))
      const duplicates = await harness.backend.events.archive(entries)
      expect([...duplicates].toSorted()).toEqual([events[1]!.id, events[2]!.id].toSorted())
      await harness.reopen()
      const late = acceptedEvent({ messageId: 'm' })
      await receive(harness, late)
      expect((await harness.backend.events.find(events[0]!.id))?.duplicates).toBe(3)
      expect(await harness.backend.events.find(late.id)).toBeUndefined()
    })

    test('is idempotent: an event is not a duplicate of itself, and a duplicate counts once', async () => {
      await using harness = await open()
      const [first, again] = [acceptedEvent({ messageId: 'm' }), acceptedEvent({ messageId: 'm' })]
      await receive(harness, first)
      await receive(harness, again)
      const entries = [first, again].map((event) => ({ event, declined: [] }))
      const duplicates = await harness.backend.events.archive(entries)
      expect([...duplicates]).toEqual([again.id])
      expect((await harness.backend.events.find(first.id))?.duplicates).toBe(1)
    })

    test('reports no duplicate for the same messageId of another source, or beyond the window', async () => {
      await using harness = await open()
      await receive(harness, acceptedEvent({ messageId: 'm' }))
      expect(await receive(harness, acceptedEvent({ messageId: 'm', sourceId: 'src_b' }))).toBe(
        false,
      )
      const late = acceptedEvent({ messageId: 'm', at: NOON + DEDUPE_WINDOW_MS + 1 })
      expect(await receive(harness, late)).toBe(false)
    })

    test('lists newest first, by messageId, source and type', async () => {
      await using harness = await open()
      const a = acceptedEvent({ messageId: 'a' })
      const b = acceptedEvent({ messageId: 'b', type: 'identify', sourceId: 'src_b' })
      for (const event of [a, b]) await receive(harness, event)
      const ids = async (filter: object): Promise<string[]> =>
        (await harness.backend.events.list(filter, { limit: 10 })).data.map(({ id }) => id)
      expect(await ids({})).toEqual([b.id, a.id])
      expect(await ids({ messageId: 'a' })).toEqual([a.id])
      expect(await ids({ sourceId: 'src_b', type: 'identify' })).toEqual([b.id])
      expect(await ids({ sourceId: 'src_b', type: 'track' })).toEqual([])
    })

    test('lists by user, name, time and text', async () => {
      await using harness = await open()
      const a = acceptedEvent({ userId: 'u1', event: 'Order Completed', at: NOON })
      const b = acceptedEvent({ userId: 'u2', event: 'Refund', at: NOON + 10 })
      const c = acceptedEvent({
        anonymousId: 'anon',
        properties: { note: 'Größe "L"', path: 'C:\\x' },
        at: NOON + 20,
      })
      for (const event of [a, b, c]) await receive(harness, event)
      const ids = async (filter: object): Promise<string[]> =>
        (await harness.backend.events.list(filter, { limit: 10 })).data.map(({ id }) => id)
      expect(await ids({ userId: 'u2' })).toEqual([b.id])
      expect(await ids({ anonymousId: 'anon' })).toEqual([c.id])
      expect(await ids({ event: 'Refund' })).toEqual([b.id])
      expect(await ids({ from: NOON + 10 })).toEqual([c.id, b.id])
      expect(await ids({ from: NOON + 1, to: NOON + 20 })).toEqual([b.id])
      expect(await ids({ text: 'rEFUND' })).toEqual([b.id])
      expect(await ids({ text: 'GRÖSSE' })).toEqual([])
      expect(await ids({ text: 'gRÖße "l"' })).toEqual([c.id])
      expect(await ids({ text: 'c:\\x' })).toEqual([c.id])
      expect(await ids({ text: '%' })).toEqual([])
    })

    test.each(['Größe "L"', 'C:\\x', 'a\nb\u0001', '🙂/</script>', '%_*'])(
      'lists by the exact name and anonymousId %j',
      async (text) => {
        await using harness = await open()
        const named = acceptedEvent({ event: text, anonymousId: `${text} 1` })
        const known = acceptedEvent({ event: `${text} 1`, anonymousId: text })
        const mentioned = acceptedEvent({ properties: { event: text, anonymousId: text } })
        for (const event of [named, known, mentioned]) await receive(harness, event)
        const ids = async (filter: object): Promise<string[]> =>
          (await harness.backend.events.list(filter, { limit: 10 })).data.map(({ id }) => id)
        expect(await ids({ event: text })).toEqual([named.id])
        expect(await ids({ anonymousId: text })).toEqual([known.id])
      },
    )

    test('lists events with their outcomes, and by outcome', async () => {
      await using harness = await open()
      const { backend } = harness
      const declined = [{ destinationId: 'dst_c', reason: 'integrations' as const }]
      const changes = {
        delivered: { state: 'delivered', attemptCount: 1 },
        failed: { state: 'expired', attemptCount: 9 },
        retrying: { state: 'pending', attemptCount: 1 },
        pending: { state: 'pending', attemptCount: 0 },
        held: { state: 'held', attemptCount: 1 },
      } as const
      const recordedOutcomes: [string, string][] = []
      // All in the same millisecond, so their deliveries are adjacent.
      for (const [outcome, change] of Object.entries(changes)) {
        const { eventId } = await recordDelivery(harness, change, acceptedEvent({ at: NOON }))
        recordedOutcomes.unshift([eventId, outcome])
      }
      const both = acceptedEvent({ at: NOON })
      await receive(harness, both, declined)
      for (const destinationId of ['dst_a', 'dst_b']) {
        const delivery = deliveryOf(both, { destinationId, state: 'rejected', attemptCount: 1 })
        await backend.deliveries.record([{ delivery, attempts: [] }])
      }
      const replayed = acceptedEvent({ at: NOON })
      await receive(harness, replayed, declined)
      const later = deliveryOf(replayed, {
        destinationId: 'dst_c',
        state: 'delivered',
        attemptCount: 1,
      })
      await backend.deliveries.record([{ delivery: later, attempts: [] }])
      const undecided = acceptedEvent({ at: NOON })
      await backend.log.append([undecided])
      await harness.settle()
      const { data } = await backend.events.list({}, { limit: 10 })
      expect(data.map(({ id, outcomes }) => [id, outcomes])).toEqual([
        [undecided.id, {}],
        // A replay has delivered the declined event.
        [replayed.id, { delivered: 1 }],
        [both.id, { failed: 2, declined: 1 }],
        ...recordedOutcomes.map(([id, outcome]) => [id, { [outcome]: 1 }]),
      ])
      const ids = async (outcome: EventOutcome) => (await listed(harness, { outcome }, 10)).ids
      for (const [id, outcome] of recordedOutcomes)
        expect(await ids(outcome as EventOutcome)).toEqual([
          ...(outcome === 'failed' ? [both.id] : []),
          ...(outcome === 'delivered' ? [replayed.id] : []),
          id,
        ])
      expect(await ids('declined')).toEqual([both.id])
      expect((await listed(harness, { outcome: 'held', sourceId: 'src_none' }, 10)).ids).toEqual([])
    })

    test('finds an outcome page by page, among thousands of events in the same millisecond', async () => {
      await using harness = await open()
      const events = Array.from({ length: 3_000 }, () => acceptedEvent({ at: NOON, userId: 'u1' }))
      await harness.backend.log.append(events)
      await harness.settle()
      await harness.backend.deliveries.record(
        events.flatMap((event, index) =>
          ['dst_a', 'dst_b'].map((destinationId) => {
            const state = index % 100 === 0 ? 'expired' : 'delivered'
            const delivery = deliveryOf(event, { destinationId, state, attemptCount: 1 })
            return { delivery, attempts: [] }
          }),
        ),
      )
      const failed = events.filter((_, index) => index % 100 === 0).map(({ id }) => id)
      for (const filter of [{}, { userId: 'u1' }]) {
        const { ids } = await listed(harness, { ...filter, outcome: 'failed' }, 7)
        expect(ids).toEqual(failed.toReversed())
      }
    })

    test('lists every event once, page by page, even if few match the filter', async () => {
      await using harness = await open()
      const first = acceptedEvent({ userId: 'rare' })
      // A page scans at most tens of thousands of events, so it ends among these calls.
      const many = Array.from({ length: 60_000 }, (_, index) =>
        acceptedEvent({ type: Math.abs(index - 10_000) < 100 ? 'identify' : 'track' }),
      )
      const last = acceptedEvent({ userId: 'rare' })
      await harness.backend.log.append([first, ...many, last])
      await harness.settle()
      const rare = await listed(harness, { userId: 'rare' }, 1)
      expect(rare.ids).toEqual([last.id, first.id])
      expect(rare.pages).toBeLessThan(5)
      const identify = many.filter(({ event }) => event.type === 'identify').map(({ id }) => id)
      expect((await listed(harness, { type: 'identify' }, 150)).ids).toEqual(identify.toReversed())
    })

    test("finds a user's events, and a messageId in many sources, among many events", async () => {
      await using harness = await open()
      const count = 20_000
      const isMine = (index: number): boolean => index % 1000 === 7 || index >= count - 3
      // Each a millisecond later, because events from different sources are ordered by time.
      const all = Array.from({ length: count }, (_, index) =>
        isMine(index)
          ? acceptedEvent({
              userId: 'mine',
              messageId: 'm',
              sourceId: `src_${index}`,
              at: NOON + index,
            })
          : acceptedEvent({ at: NOON + index }),
      )
      await harness.backend.log.append(all)
      await harness.settle()
      const mine = all.filter((_, index) => isMine(index)).map(({ id }) => id)
      for (const filter of [{ userId: 'mine' }, { messageId: 'm' }]) {
        expect((await listed(harness, filter, 4)).ids).toEqual(mine.toReversed())
      }
    })

    test('pages without gaps or repeats while events are inserted', async () => {
      await using harness = await open()
      const events = Array.from({ length: 5 }, () => acceptedEvent())
      for (const event of events) await receive(harness, event)
      const first = await harness.backend.events.list({}, { limit: 3 })
      await receive(harness, acceptedEvent())
      const second = await harness.backend.events.list({}, { limit: 3, cursor: first.nextCursor! })
      const ids = [...first.data, ...second.data].map(({ id }) => id)
      expect(ids).toEqual(events.map(({ id }) => id).toReversed())
      expect(second.nextCursor).toBeNull()
    })
  })
}
