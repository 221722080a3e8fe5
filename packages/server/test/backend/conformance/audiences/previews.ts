import { type Event, type EventSelection, formatTimestamp } from '@hookline/protocol'
import { describe, expect, test } from 'vitest'
import type { PlannedCondition } from '../../../../src/backend/evaluations.ts'
import type { Preview, PreviewQuery } from '../../../../src/backend/memberships.ts'
import { acceptedEvent, NOON } from '@hookline/testing/records/accepted-event'
import { newSource } from '@hookline/testing/records/catalog-records'
import type { BackendHarness, OpenBackendHarness } from '../backend-harness.ts'
import { follow } from '../profiles/profile-changes.ts'

const DAY_MS = 24 * 60 * 60 * 1000
const ORDERED: PlannedCondition = { clause: -1, count: { op: '>=', n: 1 } }

function preview(
  { backend: { memberships } }: BackendHarness,
  condition: PlannedCondition,
  change: Partial<PreviewQuery> = {},
): Promise<Preview> {
  const query = { space: 'default', condition, selections: new Map(), now: NOON }
  return memberships.preview({ ...query, ...change })
}

/** The userIds of the sample where the clause −1 counts what is selected. */
async function selected(
  harness: BackendHarness,
  selection: EventSelection,
  condition: PlannedCondition = ORDERED,
): Promise<(string | null)[]> {
  const found = await preview(harness, condition, { selections: new Map([[-1, selection]]) })
  expect(found.size).toBe(found.sample.length)
  return found.sample.map(({ userId }) => userId)
}

/** Receives events, and applies each to the profile of its user. */
async function receiveAll(
  harness: BackendHarness,
  given: readonly (Partial<Event> & { readonly sourceId?: string })[],
): Promise<void> {
  const events = given.map((each) => acceptedEvent(each))
  await harness.backend.log.append(events)
  await harness.settle()
  await follow(
    harness,
    events.map(({ event: { userId, anonymousId, type } }) => ({
      type,
      ...(userId === undefined ? { anonymousId: anonymousId! } : { userId }),
    })),
  )
}

export function previewsConformance(open: OpenBackendHarness): void {
  describe('a preview', () => {
    test('has the size of the audience, and at most ten of its members', async () => {
      await using harness = await open()
      const traits = { plan: 'pro' }
      const changes = Array.from({ length: 25 }, (_, index) => ({ userId: `u${index}`, traits }))
      await follow(harness, [...changes, { userId: 'other' }, { anonymousId: 'a', traits }])
      const condition = { trait: ['plan'], is: { op: 'equals', value: 'pro' } } as const
      const { size, isExact, sample } = await preview(harness, condition)
      expect([size, isExact, sample.length]).toEqual([26, true, 10])
      expect(new Set(sample.map(({ userId }) => userId)).size).toBe(10)
      expect(await preview(harness, { not: condition })).toEqual({
        size: 1,
        isExact: true,
        sample: [{ userId: 'other', facts: [] }],
      })
      const elsewhere = await preview(harness, condition, { space: 'other' })
      expect(elsewhere).toEqual({ size: 0, isExact: true, sample: [] })
    })

    test('shows a member without a userId', async () => {
      await using harness = await open()
      await follow(harness, [{ anonymousId: 'a' }])
      const { sample } = await preview(harness, { and: [] })
      expect(sample).toEqual([{ userId: null, facts: [] }])
    })

    test('counts the events of the archive where a clause has no facts yet', async () => {
      await using harness = await open()
      const old = formatTimestamp(NOON - 2 * DAY_MS)
      await receiveAll(harness, [
        { userId: 'a' },
        { userId: 'a', timestamp: old },
        { userId: 'b', timestamp: old },
        { userId: 'c', event: 'Other' },
        { userId: 'd', type: 'page', name: 'Order Completed' },
        { userId: 'e', type: 'page', name: 'Home' },
      ])
      const order = { event: 'Order Completed' }
      expect(await selected(harness, order)).toEqual(['a', 'b'])
      const recent = { ...ORDERED, withinMs: DAY_MS } as const
      expect(await selected(harness, order, recent)).toEqual(['a'])
      const twice = { clause: -1, count: { op: '>=', n: 2 } } as const
      expect(await selected(harness, order, twice)).toEqual(['a'])
      expect(await selected(harness, { type: 'page' })).toEqual(['d', 'e'])
      expect(await selected(harness, { type: 'page', name: 'Home' })).toEqual(['e'])
      expect(await selected(harness, { event: 'None' })).toEqual([])
    })

    test('counts calls of anonymous users and of those who were joined', async () => {
      await using harness = await open()
      const nobody = { userId: undefined } as unknown as Partial<Event>
      await receiveAll(harness, [
        { ...nobody, anonymousId: 'a1' },
        { ...nobody, anonymousId: 'a2' },
      ])
      await follow(harness, [{ userId: 'u', joins: [{ kind: 'anonymous', id: 'a1' }] }])
      expect(await selected(harness, { event: 'Order Completed' })).toEqual(['u', null])
    })

    test('compares properties, with dots in their names and at any depth', async () => {
      await using harness = await open()
      await receiveAll(harness, [
        { userId: 'a', properties: { revenue: 60, 'utm.source': 'ad', cart: { size: 2 } } },
        { userId: 'b', properties: { revenue: 40, utm: { source: 'ad' } } },
        { userId: 'c', type: 'identify', traits: { revenue: 60 } },
      ])
      const where = (property: string, op: '>' | 'equals', value: string | number) => ({
        event: 'Order Completed',
        where: [{ property, op, value }],
      })
      expect(await selected(harness, where('revenue', '>', 50))).toEqual(['a'])
      expect(await selected(harness, where('cart.size', 'equals', 2))).toEqual(['a'])
      const dotted = String.raw`utm\.source`
      expect(await selected(harness, where(dotted, 'equals', 'ad'))).toEqual(['a'])
      expect(await selected(harness, where('utm.source', 'equals', 'ad'))).toEqual(['b'])
      const { where: filters } = where('revenue', '>', 50)
      expect(await selected(harness, { type: 'identify', where: filters })).toEqual(['c'])
    })

    test('counts no event of another space, and none that was computed', async () => {
      await using harness = await open()
      const elsewhere = newSource({ id: 'src_b', space: 'other' })
      await harness.backend.catalog.putAll({ sources: [newSource(), elsewhere], destinations: [] })
      await follow(harness, [{ userId: 'a' }, { userId: 'b' }, { userId: 'c' }])
      const origin = { computationId: 'aud_a', destinationIds: [] }
      await harness.backend.log.append([
        acceptedEvent({ userId: 'a' }),
        acceptedEvent({ userId: 'b', sourceId: 'src_b' }),
        acceptedEvent({ userId: 'c', origin }),
      ])
      await harness.settle()
      expect(await selected(harness, { event: 'Order Completed' })).toEqual(['a'])
    })

    test('shows the values that a computed trait would be made of, the newest first', async () => {
      await using harness = await open()
      const at = (ms: number) => formatTimestamp(NOON + ms)
      await receiveAll(harness, [
        { userId: 'a', properties: { revenue: 5 }, timestamp: at(0) },
        { userId: 'a', properties: { revenue: { of: 'x' } }, timestamp: at(1) },
        { userId: 'a', properties: { revenue: null } },
        { userId: 'b', properties: {} },
      ])
      const { event, property } = { event: 'Order Completed', property: 'revenue' }
      const selections = new Map([[-1, { event, property }]])
      const { sample } = await preview(harness, ORDERED, { selections, sampledClause: -1 })
      const facts = [
        { at: NOON + 1, position: 2, value: { of: 'x' } },
        { at: NOON, position: 1, value: 5 },
      ]
      expect(sample).toEqual([{ userId: 'a', facts }])
    })

    test('knows nothing of the one before it', async () => {
      await using harness = await open()
      await receiveAll(harness, [{ userId: 'a' }, { userId: 'b', event: 'Other' }])
      expect(await selected(harness, { event: 'Order Completed' })).toEqual(['a'])
      expect(await selected(harness, { event: 'Other' })).toEqual(['b'])
    })
  })
}
