import {
  ATTEMPT_CLASSES,
  type DeclineReason,
  type Delivery,
  type DeliveryState,
  type Destination,
} from '@hookline/protocol'
import { expect, test } from 'vitest'
import { traceDecisions } from '../../../src/admin/events/trace.ts'
import { acceptedEvent, NOON } from '../../harness/accepted-event.ts'

const destination = (id: string, createdAt = 0): Destination => ({
  id,
  sourceId: 'src_a',
  type: 'Webhooks',
  name: 'CRM',
  enabled: true,
  paused: null,
  settings: { sharedSecret: null, webhooks: [], successPolicy: 'any' },
  createdAt,
  updatedAt: createdAt,
  version: 1,
})
const delivery = (destinationId: string, state: DeliveryState): Delivery => ({
  id: `msg_${state}`,
  eventId: 'evt_1',
  destinationId,
  state,
  rounds: 1,
  firstDueAt: 0,
  dueAt: null,
  webhooks: [],
})
const archived = (...declined: [string, DeclineReason][]) => ({
  ...acceptedEvent({ at: NOON }),
  declined: declined.map(([destinationId, reason]) => ({ destinationId, reason })),
  duplicates: 0,
})

test('a delivery comes before a decline, and a decline before pending', () => {
  const event = archived(['dst_a', 'integrations'], ['dst_b', 'integrations'])
  const destinations = [destination('dst_a'), destination('dst_b'), destination('dst_c')]
  const decisions = traceDecisions(event, destinations, [delivery('dst_a', 'delivered')])
  expect(decisions.map((each) => [each.destinationId, each.decision, each.reason])).toEqual([
    ['dst_a', 'deliver', null],
    ['dst_b', 'declined', 'integrations'],
    ['dst_c', 'pending', null],
  ])
})

test('a destination has no decision for events received before it was created', () => {
  const destinations = [destination('dst_same', NOON), destination('dst_later', NOON + 1)]
  expect(
    traceDecisions(archived(), destinations, []).map(({ destinationId }) => destinationId),
  ).toEqual(['dst_same'])
})

test('the decision for a removed destination stays', () => {
  const decisions = traceDecisions(archived(['dst_gone', 'destination_disabled']), [], [])
  expect(decisions).toMatchObject([{ destinationId: 'dst_gone', decision: 'declined' }])
  expect(decisions[0]?.explanation).toContain('"enabled": true')
})

test('failures are explained with their remedy', () => {
  const last = {
    id: 'att_1',
    round: 1,
    number: 1,
    url: 'https://a.example/',
    startedAt: NOON,
    durationMs: 5,
    outcome: 'rejected',
    class: 'http_4xx',
  } as const
  const rejected = {
    ...delivery('dst_a', 'rejected'),
    webhooks: [{ url: last.url, outcome: 'rejected' as const, last }],
  }
  const explanationOf = (each: Delivery) => traceDecisions(archived(), [], [each])[0]?.explanation
  expect(explanationOf(rejected)).toBe(
    `It was rejected, and Hookline does not try again. http_4xx: ${ATTEMPT_CLASSES.http_4xx.help}`,
  )
  expect(explanationOf(delivery('dst_a', 'rejected'))).toContain('destination was removed')
  expect(explanationOf({ ...rejected, state: 'delivered' })).toBe('It was delivered.')
})

test('every state has its own explanation', () => {
  const states = ['pending', 'delivered', 'rejected', 'expired', 'held'] as const
  const words = states.map(
    (state) => traceDecisions(archived(), [], [delivery('dst_a', state)])[0]?.explanation,
  )
  expect(new Set(words).size).toBe(states.length)
})
