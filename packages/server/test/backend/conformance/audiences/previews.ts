import {
  type Compute,
  type Condition,
  type Event,
  type EventSelection,
  formatTimestamp,
} from '@hookline/protocol'
import { describe, expect, test } from 'vitest'
import { definitionOf } from '../../../../src/audiences/conditions/clauses.ts'
import {
  preview,
  type PreviewedDefinition,
  type PreviewResult,
} from '../../../../src/audiences/preview.ts'
import { acceptedEvent, NOON } from '@hookline/testing/records/accepted-event'
import { newSource } from '@hookline/testing/records/catalog-records'
import { ManualClock } from '@hookline/testing/clocks/manual-clock'
import type { BackendHarness, OpenBackendHarness } from '../backend-harness.ts'
import { follow, loadProfile } from '../profiles/profile-changes.ts'

const DAY_MS = 24 * 60 * 60 * 1000

async function previewOf(
  { backend }: BackendHarness,
  definition: { readonly condition: Condition } | { readonly compute: Compute },
  space = 'default',
): Promise<PreviewResult> {
  const previewed: PreviewedDefinition = { space, ...definition }
  const clauses = await backend.facts.clauses()
  return preview(previewed, clauses, { ...backend, clock: new ManualClock(NOON) })
}

/** The sampled userIds of an audience with this selection of events. */
async function selected(
  harness: BackendHarness,
  selection: EventSelection,
  clause: object = {},
): Promise<(string | null)[]> {
  const condition = { ...selection, ...clause } as Condition
  const found = await previewOf(harness, { condition })
  expect([found.size, found.isExact]).toEqual([found.sample.length, true])
  return found.sample.map(({ userId }) => userId)
}

/** Receives events and applies each to the profile of its user. */
async function receiveAll(
  harness: BackendHarness,
  calls: readonly (Partial<Event> & { readonly sourceId?: string })[],
): Promise<void> {
  const events = calls.map((each) => acceptedEvent(each))
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
    test('has the size of the audience and at most ten of its members', async () => {
      await using harness = await open()
      const traits = { plan: 'pro' }
      const changes = Array.from({ length: 25 }, (_, index) => ({ userId: `u${index}`, traits }))
      await follow(harness, [...changes, { userId: 'other' }, { anonymousId: 'a', traits }])
      const condition = { trait: 'plan', op: 'equals', value: 'pro' } as const
      const { size, isExact, sample } = await previewOf(harness, { condition })
      expect([size, isExact, sample.length]).toEqual([26, true, 10])
      expect(new Set(sample.map(({ userId }) => userId)).size).toBe(10)
      const others = await previewOf(harness, { condition: { not: condition } })
      const reachesBackTo = null
      expect(others).toEqual({
        size: 1,
        isExact: true,
        sample: [{ userId: 'other', value: true }],
        reachesBackTo,
      })
      const elsewhere = await previewOf(harness, { condition }, 'other')
      expect(elsewhere).toEqual({ size: 0, isExact: true, sample: [], reachesBackTo })
    })

    test('evaluates every nth profile if there are more than 100,000, and is then not exact', async () => {
      await using harness = await open()
      await follow(
        harness,
        Array.from({ length: 60 }, (_, index) => ({ userId: `u${index}` })),
      )
      const { backend } = harness
      const profiles = { state: () => backend.profiles.state(), count: async () => 200_001 }
      const options = { ...backend, profiles, clock: new ManualClock(NOON) }
      const condition = { trait: 'plan', op: 'not_exists' } as const
      const found = await preview({ space: 'default', condition }, [], options)
      expect(found).toMatchObject({ size: 60, isExact: false })
      const third = (await loadProfile(harness, found.sample[0]!.userId!)).profileId
      const first = await backend.evaluations.walk({ space: 'default', after: 0, clauses: [] })
      expect(third).toBe(first[2]!.profileId)
    })

    test('shows a member without a userId', async () => {
      await using harness = await open()
      await follow(harness, [{ anonymousId: 'a' }])
      const condition = { trait: 'plan', op: 'not_exists' } as const
      const { sample } = await previewOf(harness, { condition })
      expect(sample).toEqual([{ userId: null, value: true }])
    })

    test('counts archived events for a clause without facts', async () => {
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
      expect(await selected(harness, order, { within: { days: 1 } })).toEqual(['a'])
      expect(await selected(harness, order, { count: { op: '>=', n: 2 } })).toEqual(['a'])
      expect(await selected(harness, { type: 'page' })).toEqual(['d', 'e'])
      expect(await selected(harness, { type: 'page', name: 'Home' })).toEqual(['e'])
      expect(await selected(harness, { event: 'None' })).toEqual([])
    })

    test('counts stored facts for a clause with facts, and archived events for others', async () => {
      await using harness = await open()
      const order = { event: 'Order Completed' } as const
      const retention = { maxAgeMs: null, maxCount: 100 }
      const definition = definitionOf(order)
      const clause = await harness.backend.facts.put({ definition, retention, reachesBackTo: null })
      const stored = { type: 'track', facts: [{ clause: clause.number, value: null }] } as const
      await harness.backend.log.append([
        acceptedEvent({ userId: 'a', event: 'Other' }),
        acceptedEvent({ userId: 'b' }),
      ])
      await harness.settle()
      await follow(harness, [{ userId: 'a', ...stored }, { userId: 'b' }])
      const membersOf = async (condition: Condition): Promise<(string | null)[]> =>
        (await previewOf(harness, { condition })).sample.map(({ userId }) => userId)
      expect(await membersOf(order)).toEqual(['a'])
      expect(await membersOf({ and: [order, { event: 'Other' }] })).toEqual(['a'])
      expect(await membersOf({ or: [{ not: order }, { event: 'Other' }] })).toEqual(['a', 'b'])
    })

    test('counts calls from anonymous users and from linked ones', async () => {
      await using harness = await open()
      const nobody = { userId: undefined } as unknown as Partial<Event>
      await receiveAll(harness, [
        { ...nobody, anonymousId: 'a1' },
        { ...nobody, anonymousId: 'a2' },
      ])
      await follow(harness, [{ userId: 'u', links: [{ kind: 'anonymous', id: 'a1' }] }])
      expect(await selected(harness, { event: 'Order Completed' })).toEqual([null, 'u'])
    })

    test('compares properties with dots in their names and at any depth', async () => {
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

    test('ignores events in other spaces and computed events', async () => {
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

    test('shows the values of a computed trait', async () => {
      await using harness = await open()
      const at = (ms: number) => formatTimestamp(NOON + ms)
      await receiveAll(harness, [
        { userId: 'a', properties: { revenue: 5 }, timestamp: at(0) },
        { userId: 'a', properties: { revenue: { of: 'x' } }, timestamp: at(1) },
        { userId: 'a', properties: { revenue: null } },
        { userId: 'b', properties: {} },
      ])
      const valueOf = async (fn: 'first' | 'last'): Promise<unknown> => {
        const compute = { fn, event: 'Order Completed', property: 'revenue' }
        const { size, sample } = await previewOf(harness, { compute })
        expect(size).toBe(1)
        return sample[0]!.value
      }
      expect([await valueOf('first'), await valueOf('last')]).toEqual([5, { of: 'x' }])
    })

    test('reports how far back events reach', async () => {
      await using harness = await open()
      await receiveAll(harness, [{ userId: 'a' }])
      const { events } = await harness.backend.followedLog.read({ after: 0, limit: 1 })
      const { reachesBackTo } = await previewOf(harness, { condition: { event: 'None' } })
      expect(reachesBackTo).toBe(Date.parse(events[0]!.event.event.receivedAt))
    })
  })
}
