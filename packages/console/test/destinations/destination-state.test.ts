import { expect, test } from 'vitest'
import type { Destination } from '@hookline/cli/management-client'
import type { Health } from '../../src/domain/destinations/destination-query.ts'
import type { Problem } from '../../src/domain/problems.ts'
import { destinationState, webhookState } from '../../src/domain/destinations/destination-state.ts'

const since = '2026-11-23T12:00:00.000Z'
const URL_A = 'https://a.example/'

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
    url: URL_A,
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

type Condition = Problem['condition']

/** A problem with these causes, as `condition`, or as `condition url` for one webhook. */
function problem(...names: string[]): Problem {
  const causes = names.map((name) => {
    const [condition, url = null] = name.split(' ') as [Condition, string?]
    return { condition, url, severity: SEVERITIES[condition] }
  })
  return { causes } as never
}

const SEVERITIES: Partial<Record<Condition, Problem['severity']>> = {
  deliveries_rejected: 'data_loss',
  webhook_failing: 'failing',
  receiver_throttles: 'attention',
}

const FAILING = problem('deliveries_rejected', 'webhook_failing')

test.for<readonly [Destination, Health | undefined, Problem | undefined, string, string]>([
  [
    destination({ enabled: false, paused: operator }),
    health(9, 0, 'open'),
    FAILING,
    'held',
    'disabled',
  ],
  [destination({ paused: operator }), health(9, 0, 'open'), FAILING, 'held', 'paused'],
  [destination({ pauses: [gone] }), health(9, 0), undefined, 'held', 'paused'],
  [destination({ pauses: [null, gone] }), health(9, 9), undefined, 'held', 'partially paused'],
  [destination(), health(9, 9, 'open'), FAILING, 'failed', 'breaker open'],
  [destination(), health(9, 9, 'half_open'), FAILING, 'failed', 'breaker half-open'],
  [destination(), health(100, 10), FAILING, 'failed', 'webhook failing'],
  [
    destination(),
    health(100, 99),
    problem('deliveries_rejected', 'receiver_throttles'),
    'failed',
    'deliveries rejected',
  ],
  [
    destination(),
    health(100, 99),
    problem('receiver_throttles'),
    'retrying',
    'throttled by receiver',
  ],
  [destination(), health(100, 94), undefined, 'retrying', 'partially failing'],
  [
    destination(),
    health(100, 94, 'closed', '2026-11-23T11:54:59.000Z'),
    undefined,
    'delivered',
    'recovered',
  ],
  [destination(), health(100, 95), undefined, 'delivered', 'working'],
  [destination(), health(0, 0), undefined, 'waiting', 'enabled'],
  [destination(), undefined, undefined, 'waiting', 'enabled'],
  [destination(), undefined, FAILING, 'failed', 'webhook failing'],
])('the most severe state applies: %#', ([given, its, found, tone, words]) => {
  expect(destinationState(given, its, found, NOW)).toMatchObject({ tone, words })
})

const ACTIVE = { tone: 'delivered', words: 'active' }

test.for<readonly [Destination, string, Problem | undefined, object]>([
  [destination({ enabled: false }), 'closed', FAILING, { words: 'disabled' }],
  [destination({ paused: operator }), 'closed', FAILING, { words: 'paused' }],
  [destination({ pauses: [gone] }), 'closed', FAILING, { words: 'paused' }],
  [destination(), 'half_open', undefined, { tone: 'failed', words: 'breaker half-open' }],
  [destination(), 'closed', FAILING, { tone: 'failed', words: 'webhook failing' }],
  [
    destination(),
    'closed',
    problem(`receiver_throttles ${URL_A}`),
    { tone: 'retrying', words: 'throttled by receiver' },
  ],
  [destination(), 'closed', problem('receiver_throttles https://b.example/'), ACTIVE],
  [destination({ pauses: [null, null] }), 'closed', FAILING, { tone: 'waiting', words: 'active' }],
  [destination(), 'closed', undefined, ACTIVE],
])('a webhook is active only if no alert condition applies to it: %#', (row) => {
  const [given, breaker, found, state] = row
  expect(webhookState({ url: URL_A, breaker } as never, given, found)).toMatchObject(state)
})

test('a pause has a cause and a start', () => {
  expect(destinationState(destination({ pauses: [gone] }))).toEqual({
    tone: 'held',
    words: 'paused',
    why: 'The receiver responded with 410 three times in a row.',
    since,
  })
})

test.for<readonly [Health, Problem | undefined, string | undefined, boolean]>([
  [health(9, 8, 'open'), undefined, 'Too many attempts failed.', true],
  [health(100, 10), FAILING, '90 of 100 attempts failed in the last hour.', true],
  [health(100, 94), undefined, '6 of 100 attempts failed in the last hour.', true],
  [health(100, 100), problem('deliveries_rejected'), undefined, false],
  [health(100, 60), problem('receiver_throttles'), undefined, false],
  [health(100, 60), problem('deliveries_late'), undefined, false],
  [health(100, 99), undefined, undefined, false],
])('failed attempts are given as the reason only for states that they cause: %#', (row) => {
  const [its, found, why, isFailing] = row
  const state = destinationState(destination(), its, found, NOW)
  expect([state.why, state.isFailing ?? false]).toEqual([why, isFailing])
})
