import { expect, test } from 'vitest'
import type { Destination } from '@hookline/cli/management-client'
import { currentProblems } from '../../src/domain/current-problems.ts'

const since = '2026-11-23T12:00:00.000Z'

function destination(change: Partial<Destination>): Destination {
  const settings = { webhooks: [], sharedSecret: { set: true }, successPolicy: 'any' as const }
  return {
    id: 'dst_1',
    name: 'Shop',
    enabled: true,
    paused: null,
    settings,
    ...change,
  } as Destination
}

const nothing = { destinations: [], failures: [], system: undefined }

test('nothing is wrong where everything is as it should be', () => {
  const system = { checks: { database: { ok: true } }, damages: [] }
  expect(currentProblems({ ...nothing, destinations: [destination({})], system })).toEqual([])
})

test('the service itself comes first, then pauses, then failures, each with its remedy', () => {
  const system = {
    checks: {
      clock: { ok: true, note: 'The clock was set back by 3 h.' },
      workers: { ok: false, reason: 'Failed and restarted: replays.' },
    },
    damages: [{ foundAt: since, description: 'Two pages could not be read.' }],
  }
  const paused = { since, reason: 'gone' as const }
  const webhooks = [{ url: 'https://a.example/', headers: {}, paused }]
  const settings = { webhooks, sharedSecret: { set: true }, successPolicy: 'any' as const }
  const failures = [
    {
      destinationId: 'dst_1',
      class: 'http_5xx',
      status: 503,
      count: 1,
      meaning: 'The receiver responded with a server error.',
      remedy: 'Look into the log of the receiver.',
    },
  ]
  const problems = currentProblems({ destinations: [destination({ settings })], failures, system })
  expect(problems.map(({ severity, title, remedy, to }) => [severity, title, remedy, to])).toEqual([
    ['attention', 'Check “clock”', 'The clock was set back by 3 h.', '/system'],
    ['failing', 'Check “workers”', 'Failed and restarted: replays.', '/system'],
    ['attention', 'Stored data was damaged', 'Two pages could not be read.', '/system'],
    [
      'attention',
      'Shop: https://a.example/ is paused. Its receiver responded 410 Gone three times.',
      'Correct the URL, or remove the webhook, and resume it.',
      '/destinations/dst_1',
    ],
    [
      'failing',
      'Shop: 1 delivery failed with 503. The receiver responded with a server error.',
      'Look into the log of the receiver.',
      '/failures?destination=dst_1',
    ],
  ])
})

test('a disabled destination is no problem: nothing is sent to it', () => {
  const disabled = destination({ enabled: false, paused: { since, reason: 'operator' } })
  expect(currentProblems({ ...nothing, destinations: [disabled] })).toEqual([])
})
