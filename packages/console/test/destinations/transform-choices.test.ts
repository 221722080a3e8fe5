import { PAYLOAD_TYPES, READY_MADE_TRANSFORMS } from '@hookline/protocol'
import { expect, test } from 'vitest'
import {
  payloadOf,
  payloadOptions,
  READY_MADE,
} from '../../src/pages/destinations/settings/transform-choices.ts'

const RECEIVED = { sourceId: 'src_1', receivedAt: '2026-11-23T12:00:00.000Z' }

test('a transform can be tried with recent events and with a sample of each type', () => {
  const options = payloadOptions(
    [
      { id: 'evt_2', event: { type: 'track', event: 'Order \u202eCompleted' }, ...RECEIVED },
      { id: 'evt_1', event: { type: 'identify' }, ...RECEIVED },
    ],
    'utc',
  )
  expect(options.slice(0, 2)).toEqual([
    ['evt_2', 'Order ⟨U+202E⟩Completed, 2026-11-23 12:00:00.000 UTC'],
    ['evt_1', 'identify, 2026-11-23 12:00:00.000 UTC'],
  ])
  expect(options.slice(2).map(([value]) => value)).toEqual(PAYLOAD_TYPES)
})

test('without events, the first payload to try is a sample', () => {
  const [[first] = ['']] = payloadOptions([], 'utc')
  expect(payloadOf(first)).toEqual({ type: first })
})

test('the test uses the chosen event or sample', () => {
  expect(payloadOf('evt_1')).toEqual({ eventId: 'evt_1' })
  expect(payloadOf('delete')).toEqual({ type: 'delete' })
})

test('each ready-made transform can be chosen, and fills in its expression', () => {
  const { slack } = READY_MADE_TRANSFORMS
  expect(READY_MADE).toContainEqual([slack.expression, slack.title])
  const expressions = READY_MADE.map(([expression]) => expression)
  expect(expressions).toHaveLength(Object.keys(READY_MADE_TRANSFORMS).length + 1)
  expect(new Set(expressions).size).toBe(expressions.length)
})
