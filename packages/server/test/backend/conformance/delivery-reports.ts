import { type Attempt, type Delivery, newId, timeOfId } from '@hookline/protocol'
import { describe, expect, test } from 'vitest'
import { deliveryId } from '../../../src/delivery/sending/webhook-request.ts'
import { acceptedEvent, NOON } from '../../harness/accepted-event.ts'
import type { BackendHarness, OpenBackendHarness } from './backend-harness.ts'

const FAILED = { outcome: 'retry', class: 'http_5xx', status: 503 } as const

/** Records a delivery of a new event whose webhooks had these last attempts. */
async function recorded(
  { backend }: BackendHarness,
  change: Partial<Delivery> & { readonly at?: number } = {},
  ...answers: readonly Pick<Attempt, 'outcome' | 'class' | 'status'>[]
): Promise<Delivery> {
  const { at = NOON, ...given } = change
  const event = acceptedEvent({ at })
  await backend.log.append([event])
  const destinationId = given.destinationId ?? 'dst_a'
  const webhooks = answers.map((answer, index) => {
    const url = `https://${index}.example/`
    const id = newId('att', at)
    const last = { id, round: 1, number: 1, url, startedAt: at + index, durationMs: 5, ...answer }
    return { url, outcome: answer.outcome, last }
  })
  const delivery: Delivery = {
    id: deliveryId(event.id, destinationId),
    eventId: event.id,
    destinationId,
    state: 'pending',
    rounds: answers.length > 0 ? 1 : 0,
    firstDueAt: at,
    dueAt: NOON,
    webhooks,
    ...given,
  }
  await backend.deliveries.record([{ delivery, attempts: [] }])
  return delivery
}

export function deliveryReportsConformance(open: OpenBackendHarness): void {
  describe('failures', () => {
    test('are grouped by destination, class and status, the largest group first', async () => {
      await using harness = await open()
      await recorded(harness, { at: NOON }, FAILED)
      const newest = await recorded(
        harness,
        { at: NOON + 10, state: 'expired', dueAt: null },
        FAILED,
      )
      const refused = await recorded(
        harness,
        { state: 'rejected', dueAt: null, destinationId: 'dst_b' },
        { outcome: 'rejected', class: 'dns_failed' },
      )
      expect(await harness.backend.reports.failures({})).toEqual({
        isComplete: true,
        groups: [
          {
            destinationId: 'dst_a',
            class: 'http_5xx',
            status: 503,
            count: 2,
            firstSeenAt: NOON,
            lastSeenAt: NOON + 10,
            sampleDeliveryId: newest.id,
          },
          {
            destinationId: 'dst_b',
            class: 'dns_failed',
            status: null,
            count: 1,
            firstSeenAt: NOON,
            lastSeenAt: NOON,
            sampleDeliveryId: refused.id,
          },
        ],
      })
      const { groups } = await harness.backend.reports.failures({ destinationId: 'dst_b' })
      expect(groups.map(({ destinationId }) => destinationId)).toEqual(['dst_b'])
    })

    test('have no deliveries that were delivered, or never tried', async () => {
      await using harness = await open()
      const delivered = { outcome: 'delivered', class: 'delivered', status: 200 } as const
      await recorded(harness, { state: 'delivered', dueAt: null }, FAILED, delivered)
      await recorded(harness)
      expect((await harness.backend.reports.failures({})).groups).toEqual([])
    })

    test('count a delivery once in each group its webhooks belong to', async () => {
      await using harness = await open()
      const timeout = { outcome: 'retry', class: 'timeout' } as const
      await recorded(harness, {}, FAILED, FAILED, timeout)
      const { groups } = await harness.backend.reports.failures({})
      expect(groups.map((group) => [group.class, group.count])).toEqual([
        ['timeout', 1],
        ['http_5xx', 1],
      ])
    })

    test('report where a destination has so many that only the newest were counted', async () => {
      await using harness = await open()
      const [template] = [await recorded(harness, {}, FAILED)]
      const many = Array.from({ length: 2_000 }, () => ({
        delivery: { ...template, id: deliveryId(newId('evt', NOON + 1), 'dst_a') },
        attempts: [],
      }))
      await harness.backend.deliveries.record(many)
      const { groups, isComplete } = await harness.backend.reports.failures({})
      expect(isComplete).toBe(false)
      expect(groups[0]!.count).toBeGreaterThanOrEqual(2_000)
    })
  })

  describe('the oldest pending delivery', () => {
    test('is found by destination, and undefined where nothing is pending', async () => {
      await using harness = await open()
      const { reports } = harness.backend
      await recorded(harness, { at: NOON + 5 })
      const oldest = await recorded(harness, { at: NOON + 1, dueAt: NOON + 99 })
      await recorded(harness, { at: NOON, state: 'expired', dueAt: null })
      await recorded(harness, { at: NOON, destinationId: 'dst_b' })
      expect(await reports.oldestPendingAt('dst_a')).toBe(timeOfId(oldest.eventId))
      expect(await reports.oldestPendingAt('dst_c')).toBeUndefined()
    })
  })

  describe('the list of deliveries', () => {
    test('is filtered by the last attempt of a webhook, and by time', async () => {
      await using harness = await open()
      const a = await recorded(harness, { at: NOON }, FAILED)
      const b = await recorded(harness, { at: NOON + 10 }, { ...FAILED, status: 500 })
      const c = await recorded(harness, { at: NOON + 20 }, { outcome: 'retry', class: 'timeout' })
      const ids = async (filter: object): Promise<string[]> =>
        (await harness.backend.deliveries.list(filter, { limit: 9 })).data.map(({ id }) => id)
      expect(await ids({ class: 'http_5xx' })).toEqual([b.id, a.id])
      expect(await ids({ class: 'http_5xx', status: 503 })).toEqual([a.id])
      expect(await ids({ class: 'timeout', status: 503 })).toEqual([])
      expect(await ids({ from: NOON + 10 })).toEqual([c.id, b.id])
      expect(await ids({ from: NOON, to: NOON + 10 })).toEqual([a.id])
    })

    test('has every delivery once, page by page, even where few meet the filter', async () => {
      await using harness = await open()
      const wanted = await recorded(harness, { at: NOON }, { outcome: 'retry', class: 'timeout' })
      const template = await recorded(harness, { at: NOON + 1 }, FAILED)
      const many = Array.from({ length: 60_000 }, (_, index) => ({
        delivery: { ...template, id: deliveryId(newId('evt', NOON + 2 + index), 'dst_a') },
        attempts: [],
      }))
      await harness.backend.deliveries.record(many)
      const found: string[] = []
      let cursor: string | undefined
      let pages = 0
      do {
        const filter = { class: 'timeout' } as const
        const page = await harness.backend.deliveries.list(filter, {
          limit: 2,
          ...(cursor !== undefined && { cursor }),
        })
        found.push(...page.data.map(({ id }) => id))
        cursor = page.nextCursor ?? undefined
        pages += 1
      } while (cursor !== undefined)
      expect(found).toEqual([wanted.id])
      expect(pages).toBe(2)
    })
  })
}
