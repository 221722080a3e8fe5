import type { AcceptedEvent } from '@hookline/protocol'
import { describe, expect, test } from 'vitest'
import type { EventSelector, LogSlice } from '../../../../src/backend/log.ts'
import { acceptedEvent } from '@hookline/testing/records/accepted-event'
import { computedEvent } from '@hookline/testing/records/computed-event'
import type { BackendHarness, OpenBackendHarness } from '../backend-harness.ts'
import { afterPurge, receive, request } from '../deletions/purge-requests.ts'

interface Followed {
  readonly ids: readonly string[]
  readonly positions: readonly number[]
  readonly slices: readonly LogSlice[]
  readonly through: number
}

/** Reads from a position to the end, slice by slice. */
async function follow(
  { backend: { followedLog } }: BackendHarness,
  { after = 0, limit = 100, only }: { after?: number; limit?: number; only?: EventSelector } = {},
): Promise<Followed> {
  const slices: LogSlice[] = []
  let through = after
  do {
    slices.push(await followedLog.read({ after: through, limit, ...(only && { only }) }))
    through = slices.at(-1)!.through
  } while (!slices.at(-1)!.isEnd)
  const events = slices.flatMap((slice) => slice.events)
  return {
    ids: events.map(({ event }) => event.id),
    positions: events.map(({ position }) => position),
    slices,
    through,
  }
}

const idsOf = (events: readonly AcceptedEvent[]): string[] => events.map(({ id }) => id)

/** Whether a promise settles during a commit of the backend. */
async function settles({ backend }: BackendHarness, waiting: Promise<void>): Promise<boolean> {
  let isSettled = false
  void waiting.then(() => (isSettled = true))
  await backend.probe()
  return isSettled
}

/** Calls `settle` repeatedly until the work is done, and once more after that. */
async function whileSettling(harness: BackendHarness, work: Promise<unknown>): Promise<void> {
  const isDone = work.then(() => true)
  do await harness.settle()
  while (!(await Promise.race([isDone, harness.backend.probe().then(() => false)])))
  await work
  await harness.settle()
}

export function followedLogConformance(open: OpenBackendHarness): void {
  describe('the followed log', () => {
    test('returns all client and computed events, in append order for each source, with any limit', async () => {
      await using harness = await open()
      const call = (): AcceptedEvent => acceptedEvent({ sourceId: 'aud_a' })
      const events = [call(), computedEvent(), call(), call()]
      await harness.backend.log.append(events.slice(0, 3))
      await harness.backend.log.append(events.slice(3))
      await harness.settle()
      for (const limit of [1, 2, 3, 4, 100]) {
        const { ids, positions, slices } = await follow(harness, { limit })
        expect(ids).toEqual(idsOf(events))
        expect(positions).toEqual(positions.toSorted((a, b) => a - b))
        expect(new Set(positions).size).toBe(4)
        for (const slice of slices) expect(slice.events.length).toBeLessThanOrEqual(limit)
        expect(slices).toHaveLength(Math.ceil(4 / limit))
      }
      const [slice] = (await follow(harness)).slices
      expect(slice?.events.map(({ event }) => event)).toEqual(events)
    })

    test('is at its end immediately if there are no events after the position', async () => {
      await using harness = await open()
      const empty = await harness.backend.followedLog.read({ after: 0, limit: 5 })
      expect(empty).toEqual({ events: [], through: 0, isEnd: true })
      await receive(harness, {}, {})
      const { through } = await follow(harness)
      const after = await harness.backend.followedLog.read({ after: through, limit: 5 })
      expect(after).toEqual({ events: [], through, isEnd: true })
    })

    test('continues after a position, even after a restart', async () => {
      await using harness = await open()
      await receive(harness, {}, {})
      const { through } = await follow(harness)
      await harness.reopen()
      const later = await receive(harness, {}, {})
      const { ids, positions } = await follow(harness, { after: through })
      expect(ids).toEqual(idsOf(later))
      expect(positions[0]).toBeGreaterThan(through)
    })

    test('with a selector returns track events with these names and calls of these types', async () => {
      await using harness = await open()
      const names = ['Order Completed', 'naïve \u2028 "quoted" \ud83d\ude00']
      const [order, , named, page, , group] = await receive(
        harness,
        {},
        { event: 'Cart Viewed' },
        { event: names[1]! },
        { type: 'page', event: 'Order Completed', name: 'Pricing' },
        { type: 'identify', event: 'Order Completed' },
        { type: 'group', groupId: 'g' },
      )
      const selected = async (only: EventSelector): Promise<readonly string[]> =>
        (await follow(harness, { only })).ids
      expect(await selected({ events: names, types: [] })).toEqual(idsOf([order!, named!]))
      expect(await selected({ events: [], types: ['page', 'group'] })).toEqual(
        idsOf([page!, group!]),
      )
      expect(await selected({ events: [names[0]!], types: ['group'] })).toEqual(
        idsOf([order!, group!]),
      )
      expect(await selected({ events: [], types: [] })).toEqual([])
    })

    test('with a selector skips any number of other events, a bounded number at a time', async () => {
      await using harness = await open()
      const other = Array.from({ length: 6_000 }, () => ({ event: 'Cart Viewed' }))
      const [first] = await receive(harness, {}, ...other)
      const [last] = await receive(harness, {})
      const only = { events: ['Order Completed'], types: [] }
      const { ids, slices, through } = await follow(harness, { only })
      expect(ids).toEqual([first!.id, last!.id])
      expect(slices.length).toBeGreaterThan(1)
      expect(through).toBe((await follow(harness)).through)
      // A full slice ends at its last event, so the next slice scans the rest again.
      expect((await follow(harness, { only, limit: 1 })).ids).toEqual([first!.id, last!.id])
    })

    test('resolves for an event that is appended later, and for an existing one', async () => {
      await using harness = await open()
      const { followedLog } = harness.backend
      const { signal } = new AbortController()
      const first = followedLog.appendedAfter(0, signal)
      expect(await settles(harness, first)).toBe(false)
      await receive(harness, {})
      await first
      await followedLog.appendedAfter(0, signal)
      const { through } = await follow(harness)
      const next = followedLog.appendedAfter(through, signal)
      expect(await settles(harness, next)).toBe(false)
      await receive(harness, {})
      await next
      await harness.reopen()
      await harness.backend.followedLog.appendedAfter(through, signal)
    })

    test('stops waiting when the signal aborts, or if it has already aborted', async () => {
      await using harness = await open()
      const { followedLog } = harness.backend
      const stop = new AbortController()
      const waiting = followedLog.appendedAfter(0, stop.signal)
      stop.abort()
      await waiting
      await followedLog.appendedAfter(0, stop.signal)
    })

    test('waits at its end if the newest calls were duplicates or purged', async () => {
      await using harness = await open()
      const { log, followedLog } = harness.backend
      const { signal } = new AbortController()
      await log.append([acceptedEvent({ messageId: 'm' }), acceptedEvent({ messageId: 'm' })])
      await harness.settle()
      const afterDuplicate = await follow(harness)
      expect(afterDuplicate.ids).toHaveLength(1)
      const waiting = followedLog.appendedAfter(afterDuplicate.through, signal)
      expect(await settles(harness, waiting)).toBe(false)
      await receive(harness, { userId: 'u2' }, {})
      await waiting
      const { id: deletionId } = await request(harness)
      await afterPurge(harness, { deletionId, userIds: ['u1'], sourceIds: null })
      const afterPurged = await follow(harness, { after: afterDuplicate.through })
      expect(afterPurged.ids).toHaveLength(1)
      const again = followedLog.appendedAfter(afterPurged.through, signal)
      expect(await settles(harness, again)).toBe(false)
      const [next] = await receive(harness, { userId: 'u3' })
      await again
      expect((await follow(harness, { after: afterPurged.through })).ids).toEqual([next!.id])
    })

    test('returns the same events to waiting followers, without duplicates, with any limit', async () => {
      await using harness = await open()
      const { log, followedLog } = harness.backend
      const [before] = await receive(harness, {})
      await followedLog.appendedAfter(0, new AbortController().signal)
      const events = Array.from({ length: 6 }, (_, index) =>
        acceptedEvent({ messageId: `m${index % 5}` }),
      )
      await log.append(events.slice(0, 2))
      await log.append(events.slice(2))
      await harness.settle()
      await log.append([computedEvent()])
      await harness.settle()
      for (const limit of [1, 2, 3, 100]) {
        const { ids, positions } = await follow(harness, { limit })
        expect(ids.slice(0, 6)).toEqual(idsOf([before!, ...events.slice(0, 5)]))
        expect(ids).toHaveLength(7)
        for (const [index, after] of positions.entries())
          expect((await follow(harness, { after, limit })).ids).toEqual(ids.slice(index + 1))
      }
      const [, first, , , , last] = (await follow(harness)).positions
      await harness.reopen()
      const { positions, ids } = await follow(harness, { after: first! })
      expect([ids.length, positions[3]]).toEqual([5, last])
    })

    test('returns later events to waiting followers, but none that were purged', async () => {
      await using harness = await open()
      const { followedLog } = harness.backend
      await followedLog.appendedAfter(0, AbortSignal.abort())
      const [, kept] = await receive(harness, { userId: 'u1' }, { userId: 'u2' })
      const { id: deletionId } = await request(harness)
      await afterPurge(harness, { deletionId, userIds: ['u1'], sourceIds: null })
      const [again] = await receive(harness, { userId: 'u1' })
      const { ids } = await follow(harness)
      expect(ids).toEqual(idsOf([kept!, again!]))
    })

    test('misses and repeats no event while others append', async () => {
      await using harness = await open()
      const { log, followedLog } = harness.backend
      const appended: string[] = []
      const appending = Promise.all(
        Array.from({ length: 60 }, async (_, index) => {
          if (index % 3 === 0) await harness.backend.probe()
          const events = Array.from({ length: 1 + (index % 4) }, () => acceptedEvent())
          appended.push(...idsOf(events))
          await log.append(events)
        }),
      )
      const archiving = whileSettling(harness, appending)
      const { signal } = new AbortController()
      const seen: string[] = []
      for (let through = 0; seen.length < 150;) {
        await followedLog.appendedAfter(through, signal)
        const slice = await followedLog.read({ after: through, limit: 7 })
        seen.push(...slice.events.map(({ event }) => event.id))
        through = slice.through
      }
      await archiving
      expect(seen.toSorted()).toEqual(appended.toSorted())
    })
  })
}
