import { expect, test } from 'vitest'
import {
  foldMessages,
  type LiveRows,
  MAX_ROWS,
  NO_ROWS,
  shownRows,
} from '../../src/pages/live/live-rows.ts'
import type { LiveRow } from '../../src/pages/live/live-row.ts'
import type { LiveMessage } from '../../src/stream/live-messages.ts'

const AT = '2026-11-23T10:00:00.000Z'
const NOW = '2026-11-23T10:00:01.000Z'

function event(eventId: string, more: object = {}): LiveMessage {
  return {
    kind: 'event',
    at: AT,
    eventId,
    sourceId: 'src_1',
    type: 'track',
    messageId: `m ${eventId}`,
    name: 'Order Completed',
    userId: 'u1',
    anonymousId: null,
    computed: false,
    change: null,
    ...more,
  }
}

function decision(eventId: string, more: object = {}): LiveMessage {
  const base = { at: AT, sourceId: 'src_1', destinationId: 'dst_1', reason: null }
  return { kind: 'decision', ...base, eventId, decision: 'deliver', ...more }
}

function attempt(eventId: string, more: object = {}): LiveMessage {
  return {
    kind: 'attempt',
    at: AT,
    eventId,
    deliveryId: 'msg_1',
    destinationId: 'dst_1',
    attemptId: 'att_1',
    url: 'https://a.example/',
    number: 1,
    outcome: 'delivered',
    class: 'delivered',
    status: 200,
    durationMs: 12,
    state: 'delivered',
    ...more,
  }
}

function after(messages: readonly LiveMessage[], filters = {}, rows = NO_ROWS): LiveRows {
  return foldMessages(rows, messages, filters, NOW)
}

function rowsOf(rows: LiveRows, filters = {}): LiveRow[] {
  return shownRows(rows, filters).filter((row) => row.kind === 'event')
}

test('decisions and attempts are folded into the row of their event, the newest row first', () => {
  const rows = after([event('evt_1'), event('evt_2'), decision('evt_1'), attempt('evt_1')])
  expect(rowsOf(rows).map(({ eventId, outcomes }) => [eventId, outcomes])).toEqual([
    ['evt_2', []],
    [
      'evt_1',
      [
        {
          destinationId: 'dst_1',
          state: 'delivered',
          detail: 'delivered',
          status: 200,
          durationMs: 12,
          attempt: 1,
        },
      ],
    ],
  ])
})

test.for([
  [{ state: 'pending', outcome: 'retry' }, 'retrying'],
  [{ state: 'pending', outcome: 'delivered' }, 'pending'],
  [{ state: 'delivered', outcome: 'delivered' }, 'delivered'],
  [{ state: 'declined', outcome: 'declined' }, 'declined'],
  [{ state: 'held', outcome: 'retry' }, 'held'],
  [{ state: 'rejected', outcome: 'rejected' }, 'failed'],
  [{ state: 'expired', outcome: 'retry' }, 'failed'],
  [{ state: 'quarantined', outcome: 'retry' }, 'failed'],
] as const)('after an attempt with %j the outcome is %s', ([more, state]) => {
  const [row] = rowsOf(after([event('evt_1'), decision('evt_1'), attempt('evt_1', more)]))
  expect(row?.outcomes.map((each) => each.state)).toEqual([state])
})

test('a declined event has the reason, and a duplicate is marked', () => {
  const declined = { decision: 'declined', reason: 'integrations' }
  const duplicate = { decision: 'duplicate', destinationId: null }
  const rows = after([
    event('evt_1'),
    event('evt_2'),
    decision('evt_1', declined),
    decision('evt_2', duplicate),
  ])
  const [second, first] = rowsOf(rows)
  expect(first?.outcomes).toMatchObject([{ state: 'declined', detail: 'integrations' }])
  expect(second).toMatchObject({ isDuplicate: true, outcomes: [] })
})

test('a decision that arrives after its attempt changes nothing', () => {
  const [row] = rowsOf(after([event('evt_1'), attempt('evt_1'), decision('evt_1')]))
  expect(row?.outcomes).toMatchObject([{ state: 'delivered' }])
})

test('memory is limited: the oldest rows are dropped, and later messages for them create no row', () => {
  const many = Array.from({ length: MAX_ROWS + 500 }, (_, index) => event(`evt_${index}`))
  const rows = after([...many, decision('evt_0'), attempt('evt_0')])
  const next = after([decision('evt_1'), attempt('evt_1')], {}, rows)
  expect(next.recent.size).toBe(MAX_ROWS)
  expect(next.kept.size).toBe(0)
  expect(rowsOf(next).at(-1)?.eventId).toBe('evt_500')
  expect(next.received).toBe(MAX_ROWS + 500)
})

test('a retry of an event without a row gets a new row', () => {
  const retry = attempt('evt_9', { number: 3 })
  expect(rowsOf(after([retry]))).toMatchObject([
    { event: null, eventId: 'evt_9', outcomes: [{ state: 'delivered' }] },
  ])
})

test('a rare event that matches the filter is kept while a thousand others pass, and still gets its decisions and attempts', () => {
  const filters = { event: 'rare' }
  const others = Array.from({ length: MAX_ROWS + 10 }, (_, index) => event(`evt_${index}`))
  const first = after([event('evt_rare', { name: 'Rare one' }), ...others], filters)
  const rows = after([decision('evt_rare'), attempt('evt_rare')], filters, first)
  expect(rowsOf(rows, filters)).toMatchObject([
    { eventId: 'evt_rare', outcomes: [{ state: 'delivered' }] },
  ])
  expect(rows.kept.size).toBe(1)
})

test.for([
  [{ source: 'src_1' }, true],
  [{ source: 'src_2' }, false],
  [{ destination: 'dst_1' }, true],
  [{ destination: 'dst_2' }, false],
  [{ type: 'track' }, true],
  [{ type: 'page' }, false],
  [{ event: 'order' }, true],
  [{ event: 'signed' }, false],
  [{ user: 'U1' }, true],
  [{ user: 'anon' }, false],
  [{ outcome: 'delivered' }, true],
  [{ outcome: 'duplicate' }, false],
  [{ text: 'M EVT_1' }, true],
  [{ text: 'nowhere' }, false],
  [{ event: 'order', outcome: 'failed' }, false],
] as const)('the filter %j matches: %s', ([filters, isShown]) => {
  const rows = after([event('evt_1'), decision('evt_1'), attempt('evt_1')])
  expect(rowsOf(rows, filters)).toHaveLength(isShown ? 1 : 0)
})

test('a gap has a row between the events before and after it, with its period', () => {
  const gap: LiveMessage = { kind: 'gap', reason: 'reader_too_slow', missed: 12 }
  const rows = after([event('evt_1'), gap, event('evt_2')])
  const shown = shownRows(rows, { event: 'nothing has this name' })
  expect(shown).toEqual([{ kind: 'gap', order: expect.any(Number), missed: 12, from: AT, to: NOW }])
  expect(shownRows(rows, {}).map(({ kind }) => kind)).toEqual(['event', 'gap', 'event'])
})

test('after a gap the count of events is a lower bound', () => {
  const gap: LiveMessage = { kind: 'gap', reason: 'too_long_ago', missed: null }
  const before = after([event('evt_1')])
  expect(before.gaps).toEqual([])
  const rows = after([gap, event('evt_2')], {}, before)
  expect(rows.gaps).toHaveLength(1)
  expect(rows.received).toBe(2)
})

test('a row without changes remains the same object', () => {
  const before = after([event('evt_1'), event('evt_2')])
  const rows = after([decision('evt_2')], {}, before)
  expect(rows.recent.get('evt_1')).toBe(before.recent.get('evt_1'))
  expect(rows.recent.get('evt_2')).not.toBe(before.recent.get('evt_2'))
})
