import type { AcceptedEvent } from '@hookline/protocol'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { LogEntry } from '../../../../src/backend/log.ts'
import { acceptedEvent } from '@hookline/testing/records/accepted-event'
import type { BackendHarness, OpenBackendHarness } from '../backend-harness.ts'

/** Consumes entries until there are `count` events. */
async function take({ backend }: BackendHarness, count: number): Promise<LogEntry[]> {
  const stop = new AbortController()
  const consumed: LogEntry[] = []
  for await (const entries of backend.log.consume({ signal: stop.signal })) {
    consumed.push(...entries)
    if (eventsOf(consumed).length >= count) break
  }
  stop.abort()
  return consumed
}

function eventsOf(entries: readonly LogEntry[]): AcceptedEvent[] {
  return entries.flatMap(({ events }) => events)
}

/**
 * @param isOrdered whether unacked entries come in append order, starting with redelivered ones from before a restart. Competing
 * nodes cannot guarantee it.
 */
export function logConformance(
  open: OpenBackendHarness,
  { isOrdered }: { readonly isOrdered: boolean },
): void {
  describe('the log', () => {
    test('hands out every event, in append order for each source', async () => {
      await using harness = await open()
      const events = Array.from({ length: 5 }, () => acceptedEvent())
      await harness.backend.log.append(events.slice(0, 2))
      await harness.backend.log.append(events.slice(2))
      expect(eventsOf(await take(harness, 5))).toEqual(events)
    })

    test('hands out events that are appended while the consumer waits', async () => {
      await using harness = await open()
      const waiting = take(harness, 1)
      const event = acceptedEvent()
      await harness.backend.log.append([event])
      expect(eventsOf(await waiting)).toEqual([event])
    })

    test('keeps events across a restart', async () => {
      await using harness = await open()
      const event = acceptedEvent({
        properties: { 'naïve \u2028 \ud83d\ude00': [1, null, { 10: 'x' }] },
      })
      await harness.backend.log.append([event])
      await harness.reopen()
      const entries = await take(harness, 1)
      expect(eventsOf(entries)).toEqual([event])
      if (isOrdered) expect(entries[0]?.redelivered).toBe(true)
    })

    test('redelivers unacked entries after a restart', async () => {
      await using harness = await open()
      const events = Array.from({ length: 3 }, () => acceptedEvent())
      for (const event of events) await harness.backend.log.append([event])
      await take(harness, 3)
      await harness.reopen()
      const entries = await take(harness, 3)
      expect(new Set(eventsOf(entries))).toEqual(new Set(events))
      expect(entries.map(({ redelivered }) => redelivered)).toEqual([true, true, true])
      if (isOrdered) expect(eventsOf(entries)).toEqual(events)
    })

    test('hands out every event from several sources', async () => {
      await using harness = await open()
      const events = Array.from({ length: 40 }, (_, index) =>
        acceptedEvent({ sourceId: `src_${index % 10}` }),
      )
      await harness.backend.log.append(events.slice(0, 25))
      await harness.backend.log.append(events.slice(25))
      const consumed = eventsOf(await take(harness, 40))
      for (const sourceId of new Set(events.map((event) => event.sourceId))) {
        const ofSource = (event: AcceptedEvent): boolean => event.sourceId === sourceId
        expect(consumed.filter(ofSource)).toEqual(events.filter(ofSource))
      }
      if (isOrdered) expect(consumed).toEqual(events)
    })

    test('does not redeliver entries that were acked in order', async () => {
      await using harness = await open()
      const [first, second] = [acceptedEvent(), acceptedEvent()]
      await harness.backend.log.append([first])
      await harness.backend.log.append([second])
      const entries = await take(harness, 2)
      await harness.backend.log.ack(entries.filter(({ events }) => events[0]!.id === first.id))
      await harness.reopen()
      expect(eventsOf(await take(harness, 1))).toEqual([second])
    })

    test('redelivers every unacked entry, for any order of acks', async () => {
      await using harness = await open()
      const events = Array.from({ length: 6 }, () => acceptedEvent())
      for (const event of events) await harness.backend.log.append([event])
      const entries = await take(harness, 6)
      await harness.backend.log.ack([entries[3]!, entries[5]!, entries[0]!])
      await harness.reopen()
      const left = new Set(eventsOf(await take(harness, 3)).map(({ id }) => id))
      for (const index of [1, 2, 4]) expect(left).toContain(events[index]!.id)
    })

    test('redelivers unacked entries to a consumer that starts over', async () => {
      await using harness = await open()
      const event = acceptedEvent()
      await harness.backend.log.append([event])
      expect((await take(harness, 1))[0]?.redelivered).toBe(false)
      const again = await take(harness, 1)
      expect(eventsOf(again)).toEqual([event])
      expect(again[0]?.redelivered).toBe(true)
    })

    test('redelivers the same object to a consumer in the same process', async () => {
      await using harness = await open()
      await harness.backend.log.append([acceptedEvent()])
      const [entry] = await take(harness, 1)
      expect((await take(harness, 1))[0]).toBe(entry)
      await harness.backend.log.ack([entry!])
      const next = acceptedEvent()
      await harness.backend.log.append([next])
      expect(eventsOf(await take(harness, 1))).toEqual([next])
    })

    test('reports no missing event after acks out of order and a new consumer', async () => {
      await using harness = await open()
      for (let count = 3; count > 0; count--) await harness.backend.log.append([acceptedEvent()])
      const entries = await take(harness, 3)
      await harness.backend.log.ack([entries[1]!])
      expect(await take(harness, 2)).toEqual([entries[0], entries[2]])
      await harness.backend.log.ack([entries[0]!])
      await harness.backend.log.ack([entries[2]!])
      expect((await harness.backend.upkeep.missing()).events).toBe(0)
    })

    test('accepts an ack twice', async () => {
      await using harness = await open()
      await harness.backend.log.append([acceptedEvent()])
      const entries = await take(harness, 1)
      await harness.backend.log.ack(entries)
      await harness.backend.log.ack(entries)
      const next = acceptedEvent()
      await harness.backend.log.append([next])
      await harness.reopen()
      expect(eventsOf(await take(harness, 1))).toEqual([next])
    })

    test('loses nothing of a backlog larger than its memory', { timeout: 60_000 }, async () => {
      await using harness = await open()
      const ids: string[] = []
      for (let batch = 0; batch < 25; batch++) {
        const events = Array.from({ length: 500 }, () => acceptedEvent())
        ids.push(...events.map(({ id }) => id))
        await harness.backend.log.append(events)
      }
      const entries = await take(harness, ids.length)
      expect(eventsOf(entries).map(({ id }) => id)).toEqual(ids)
    })

    test('ends a waiting consumer when its signal aborts', async () => {
      await using harness = await open()
      const stop = new AbortController()
      const consuming = (async () => {
        for await (const entries of harness.backend.log.consume({ signal: stop.signal })) {
          expect.unreachable(`nothing was appended, but ${entries.length} entries were handed out`)
        }
      })()
      stop.abort()
      await consuming
    })

    test('for any sequence of appends, acks and restarts, hands out every unacked event, and only appended ones', async () => {
      const step = fc.oneof(
        fc.record({ do: fc.constant('append' as const), count: fc.integer({ min: 1, max: 5 }) }),
        fc.record({ do: fc.constant('ack' as const), count: fc.integer({ min: 1, max: 4 }) }),
        fc.record({ do: fc.constant('reopen' as const), count: fc.constant(0) }),
      )
      const run = fc.asyncProperty(fc.array(step, { maxLength: 15 }), async (steps) => {
        await using harness = await open()
        const unacked = new Set<string>()
        const known = new Set<string>()
        for (const { do: action, count } of steps) {
          if (action === 'append') {
            const events = Array.from({ length: count }, () => acceptedEvent())
            await harness.backend.log.append(events)
            for (const { id } of events) unacked.add(id)
            for (const { id } of events) known.add(id)
          } else if (action === 'reopen') await harness.reopen()
          else if (unacked.size > 0) {
            const entries = await take(harness, unacked.size)
            const seen = new Set(eventsOf(entries).map(({ id }) => id))
            expect(seen.isSupersetOf(unacked)).toBe(true)
            expect(seen.isSubsetOf(known)).toBe(true)
            const acked = entries.slice(0, count)
            await harness.backend.log.ack(acked)
            for (const { id } of eventsOf(acked)) unacked.delete(id)
          }
        }
      })
      await fc.assert(run, { numRuns: 15 })
    })
  })
}
