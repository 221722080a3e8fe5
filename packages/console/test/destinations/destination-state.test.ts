import { expect, test } from 'vitest'
import type { Destination } from '@hookline/cli/management-client'
import type { Health } from '../../src/domain/destinations/destination-query.ts'
import { destinationState } from '../../src/domain/destinations/destination-state.ts'

const since = '2026-11-23T12:00:00.000Z'

interface DestinationOverrides {
  readonly enabled?: boolean
  readonly paused?: Destination['paused']
  readonly pauses?: readonly Destination['paused'][]
}

function destination({
  enabled = true,
  paused = null,
  pauses = [null],
}: DestinationOverrides = {}): Destination {
  const webhooks = pauses.map((each) => ({
    url: 'https://a.example/',
    headers: {},
    paused: each,
  }))
  return { enabled, enabledChangedAt: since, paused, settings: { webhooks } } as never
}

const NOW = Date.parse(since)

function health(
  attempts: number,
  delivered: number,
  breaker = 'closed',
  lastFailedAt: string | null = delivered < attempts ? since : null,
): Health {
  const successRate = attempts === 0 ? null : delivered / attempts
  const webhooks = [{ breaker, brokenSince: breaker === 'closed' ? null : since }]
  return { webhooks, lastHour: { attempts, delivered, successRate, lastFailedAt } } as never
}

const operator = { since, reason: 'operator' } as const
const gone = { since, reason: 'webhook_gone' } as const

test.for<readonly [Destination, Health | undefined, string]>([
  [destination({ enabled: false, paused: operator }), health(9, 0, 'open'), 'disabled'],
  [destination({ paused: operator }), health(9, 0, 'open'), 'paused'],
  [destination({ pauses: [gone] }), health(9, 0), 'paused'],
  [destination({ pauses: [null, gone] }), health(9, 9), 'partially paused'],
  [destination(), health(9, 9, 'open'), 'breaker open'],
  [destination(), health(9, 9, 'half_open'), 'breaker open'],
  [destination(), health(9, 0), 'failing'],
  [destination(), health(100, 94), 'partially failing'],
  [destination(), health(100, 94, 'closed', '2026-11-23T11:54:59.000Z'), 'recovered'],
  [destination(), health(100, 95), 'working'],
  [destination(), health(0, 0), 'enabled'],
  [destination(), undefined, 'enabled'],
])('the most severe state applies: %#', ([given, its, words]) => {
  expect(destinationState(given, its, NOW).words).toBe(words)
})

test('a pause has a cause and a start', () => {
  expect(destinationState(destination({ pauses: [gone] }))).toEqual({
    tone: 'held',
    words: 'paused',
    why: 'The receiver responded with 410 three times in a row.',
    since,
  })
})
