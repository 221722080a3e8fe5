import type { AcceptedEvent } from '@hookline/protocol'
import { describe, expect, test } from 'vitest'
import { decideArchive } from '../../../../src/backend/cluster/events/decide-archive.ts'
import type { KnownEvent } from '../../../../src/backend/cluster/events/decide-archive.ts'
import { acceptedEvent, NOON } from '@hookline/testing/records/accepted-event'

const UNKNOWN: KnownEvent = { isArchived: false, isCounted: false, original: null }
const WINDOW_MS = 1_000

/** An event with the messageId `m`, `ms` milliseconds after noon. */
const at = (ms: number): AcceptedEvent => acceptedEvent({ messageId: 'm', at: NOON + ms })

/** Decides on events that arrive together. Refers to events by index. */
function decide(
  events: readonly AcceptedEvent[],
  {
    known = {},
    purged = [],
  }: {
    readonly known?: Readonly<Record<number, Partial<KnownEvent>>>
    readonly purged?: readonly number[]
  } = {},
) {
  const decisions = decideArchive(
    events.map((event) => ({ event, declined: [] })),
    {
      known: events.map((_, index) => ({ ...UNKNOWN, ...known[index] })),
      isPurged: (event) => purged.includes(events.indexOf(event)),
      dedupeWindowMs: WINDOW_MS,
    },
  )
  const indexOf = (id: string): number => events.findIndex((event) => event.id === id)
  return {
    newEvents: decisions.newEvents.map(({ event, duplicates, lastDuplicateAt }) => [
      events.indexOf(event),
      duplicates,
      lastDuplicateAt === null ? null : lastDuplicateAt - NOON,
    ]),
    counted: decisions.counted,
    countedIds: decisions.countedIds.map(indexOf),
    duplicates: [...decisions.duplicates].map(indexOf),
    decided: decisions.decided.map(({ event }) => events.indexOf(event)),
  }
}

describe('decideArchive', () => {
  test('adds duplicates in one batch to the count of the first of them', () => {
    expect(decide([at(0), at(7), at(5)])).toEqual({
      newEvents: [[0, 2, 5]],
      counted: [],
      countedIds: [1, 2],
      duplicates: [1, 2],
      decided: [0],
    })
  })

  test('stores another event after the window, and adds later duplicates to its count', () => {
    const { newEvents, duplicates } = decide([at(0), at(WINDOW_MS + 1), at(WINDOW_MS + 2)])
    expect(newEvents).toEqual([
      [0, 0, null],
      [1, 1, WINDOW_MS + 2],
    ])
    expect(duplicates).toEqual([2])
  })

  test('adds duplicates to the count of an event that is already archived', () => {
    const original = { original: 'evt_first' }
    const { newEvents, counted } = decide([at(3), at(4)], { known: { 0: original, 1: original } })
    expect(newEvents).toEqual([])
    expect(counted).toEqual([{ id: 'evt_first', duplicates: 2, lastDuplicateAt: NOON + 4 }])
  })

  test('treats an event that appears twice as one', () => {
    const event = at(0)
    expect(decide([event, event])).toMatchObject({ newEvents: [[0, 0, null]], duplicates: [] })
    const again = at(1)
    const twice = decide([event, again, again])
    expect(twice).toMatchObject({ newEvents: [[0, 1, 1]], countedIds: [1], duplicates: [1] })
  })

  test('neither writes an archived event nor counts a known duplicate again', () => {
    const known = { 0: { isArchived: true, original: 'evt_other' }, 1: { isCounted: true } }
    expect(decide([at(0), at(1)], { known })).toEqual({
      newEvents: [],
      counted: [],
      countedIds: [],
      duplicates: [1],
      decided: [0],
    })
  })

  test('neither writes a purged event nor adds duplicates to its count', () => {
    expect(decide([at(0), at(1), at(2)], { purged: [0] })).toEqual({
      newEvents: [[1, 1, 2]],
      counted: [],
      countedIds: [2],
      duplicates: [2],
      decided: [1],
    })
  })
})
