import { expect, test } from 'vitest'
import { destinationProblems } from '../../../src/domain/problems/destination-problems.ts'
import { destination } from './destination.ts'

const NOW = Date.parse('2026-11-23T12:00:00.000Z')
const ago = (minutes: number): string => new Date(NOW - minutes * 60_000).toISOString()
const old = { pending: 12, oldestPendingAt: ago(11) }
const young = { pending: 12, oldestPendingAt: ago(9) }
const operator = { since: ago(60), reason: 'operator' } as const

const TITLES: readonly (readonly [Parameters<typeof destination>[0], readonly string[]])[] = [
  [{}, []],
  [{ webhook: young }, []],
  [
    { webhook: old },
    ['failing: Shop: https://a.example/: 12 pending deliveries, oldest waiting for 11 min.'],
  ],
  [
    { webhook: { ...old, breaker: 'open' } },
    [
      'failing: The breaker of Shop: https://a.example/ opened after too many failures. 12 pending deliveries, oldest waiting for 11 min.',
    ],
  ],
  [
    { webhook: { breaker: 'half_open' } },
    ['failing: The breaker of Shop: https://a.example/ opened after too many failures.'],
  ],
  [
    { webhook: { ...young, retryAfterUntil: ago(-3) } },
    [
      'attention: Shop: https://a.example/: no access token, or the receiver sent Retry-After. 12 pending deliveries, oldest waiting for 9 min.',
    ],
  ],
  [
    { webhook: { ...old, retryAfterUntil: ago(-3) } },
    [
      'failing: Shop: https://a.example/: no access token, or the receiver sent Retry-After. 12 pending deliveries, oldest waiting for 11 min.',
    ],
  ],
  [{ webhook: { retryAfterUntil: ago(-3) } }, []],
  [{ enabled: false, paused: operator }, []],
  [
    { enabled: false, webhook: { pending: 1, oldestPendingAt: ago(1) } },
    ['attention: Shop is disabled with 1 undelivered event, oldest waiting for 1 min.'],
  ],
  [
    { paused: operator, webhook: { held: 1_234, breaker: 'open' } },
    ['attention: Shop is paused. Paused manually. 1,234 held.'],
  ],
  [
    { pause: { since: ago(60), reason: 'url_forbidden' }, webhook: { held: 2 } },
    [
      'attention: Shop: https://a.example/ is paused. Its address or port is not allowed by allowedNetworks or allowedPorts. 2 held.',
    ],
  ],
  [
    { pause: { since: ago(60), reason: 'disabled_by_receiver' }, webhook: { held: 1 } },
    [
      'attention: Shop: https://a.example/ is paused. The receiver responded with webhook-delivery: disable. 1 held.',
    ],
  ],
  [
    { lastHour: { attempts: 10, delivered: 4 } },
    ['failing: Shop: 4 of 10 attempts succeeded in the last hour.'],
  ],
  [{ lastHour: { attempts: 10, delivered: 5 } }, []],
  [{ lastHour: { attempts: 9, delivered: 0 } }, []],
  [
    { paused: operator, lastHour: { attempts: 10, delivered: 0 } },
    ['attention: Shop is paused. Paused manually.'],
  ],
  [
    { webhook: { breaker: 'open' }, lastHour: { attempts: 10, delivered: 0 } },
    ['failing: The breaker of Shop: https://a.example/ opened after too many failures.'],
  ],
]

test.for(TITLES)('problems of destinations have a severity and a title: %#', ([wanted, titles]) => {
  const problems = destinationProblems([destination(wanted)], NOW)
  expect(problems.map(({ severity, title }) => `${severity}: ${title}`)).toEqual(titles)
  expect(problems.filter(({ remedy, to }) => remedy === '' || !to.startsWith('/'))).toEqual([])
})

test('if each destination has few attempts, the total decides', () => {
  const lastHour = { attempts: 5, delivered: 1 }
  const both = ['dst_1', 'dst_2'].map((id) => destination({ id, lastHour }))
  expect(destinationProblems(both, NOW).map(({ key }) => key)).toEqual([
    'success dst_1',
    'success dst_2',
  ])
})

test('Retry-After shows the next attempt, and a long wait links to the backlog', () => {
  const [rests] = destinationProblems(
    [destination({ webhook: { ...young, retryAfterUntil: ago(-3) } })],
    NOW,
  )
  expect(rests?.remedy).toBe(
    'Next attempt in 3 min. To retry immediately, use “Retry now” on its page.',
  )
  const [waits] = destinationProblems([destination({ webhook: old })], NOW)
  expect(waits?.to).toBe('/destinations/dst_1?tab=deliveries&state=waiting')
})

test('the problem remains visible after a long name and URL', () => {
  const long = {
    ...destination({ webhook: { ...old, url: `https://a.example/${'x'.repeat(900)}` } }),
  }
  const [problem] = destinationProblems([{ ...long, name: 'n'.repeat(200) }], NOW)
  expect(problem?.title).toMatch(/12 pending deliveries, oldest waiting for 11 min\.$/)
  expect(problem?.title.length).toBeLessThan(300)
})
