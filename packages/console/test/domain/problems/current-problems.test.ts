import { expect, test } from 'vitest'
import { currentProblems } from '../../../src/domain/problems/current-problems.ts'
import { destination } from './destination.ts'

const since = '2026-11-23T12:00:00.000Z'
const system = { time: since, checks: { database: { ok: true } }, corruptions: [] }
const nothing = { checked: [], others: [], failures: [], system, unlinked: [] }

test('a healthy service has no problems', () => {
  expect(currentProblems({ ...nothing, checked: [destination()] })).toEqual([])
})

test('problems of the service are listed first, then destinations, then failures, each with its remedy', () => {
  const troubled = {
    time: since,
    checks: {
      clock: { ok: true, note: 'The clock was set back by 3 h.' },
      workers: { ok: false, reason: 'Failed and restarted: replays.' },
      other: { ok: false },
    },
    corruptions: [{ foundAt: since, description: 'Two pages could not be read.' }],
  }
  const failures = [
    {
      destinationId: 'dst_2',
      class: 'http_5xx',
      status: 503,
      count: 1,
      meaning: 'The receiver responded with a server error.',
      remedy: 'Look into the log of the receiver.',
    },
  ]
  const checked = [destination({ pause: { since, reason: 'webhook_gone' } })]
  const others = [{ id: 'dst_2', name: 'Mail' }]
  const problems = currentProblems({ checked, others, failures, system: troubled, unlinked: [] })
  expect(problems.map(({ severity, title, remedy, to }) => [severity, title, remedy, to])).toEqual([
    [
      'attention',
      'Check “clock”: The clock was set back by 3 h.',
      expect.stringMatching(/^If the clock is wrong, correct it/),
      '/system',
    ],
    [
      'failing',
      'Check “workers” failed: Failed and restarted: replays.',
      expect.stringMatching(/^Check disk space and disk health/),
      '/system',
    ],
    [
      'failing',
      'Check “other” failed: no reason given.',
      expect.stringMatching(/hookline doctor/),
      '/system',
    ],
    [
      'attention',
      'Data corruption: Two pages could not be read.',
      expect.stringMatching(/^Check the disk/),
      '/system',
    ],
    [
      'attention',
      'Shop: https://a.example/ is paused. The receiver responded with 410 three times in a row.',
      'Correct the URL or remove the webhook, then resume.',
      '/destinations/dst_1',
    ],
    [
      'failing',
      'Mail: 1 delivery failed with 503. The receiver responded with a server error.',
      'Look into the log of the receiver.',
      '/failures?destination=dst_2',
    ],
  ])
})

test('placeholder ids and full profiles need attention; shared devices do not', () => {
  const of = (sourceId: string, counts: Readonly<Record<string, number>>) => ({
    sourceId,
    name: sourceId === 'src_1' ? 'Shop' : undefined,
    unlinked: counts,
  })
  const unlinked = [
    of('src_1', { placeholder: 1204, other_user: 9 }),
    of('src_2', { limit: 1 }),
    of('src_3', { other_user: 7 }),
  ]
  const problems = currentProblems({ ...nothing, unlinked })
  expect(problems.map(({ severity, title, to }) => [severity, title, to])).toEqual([
    [
      'attention',
      'Shop: 1,204 calls in the last 24 hours had a placeholder ID, such as undefined or 0.',
      '/sources?source=src_1',
    ],
    [
      'attention',
      'src_2: 1 ID in the last 24 hours exceeded the limit per profile and was not linked.',
      '/users?order=largest',
    ],
  ])
})
