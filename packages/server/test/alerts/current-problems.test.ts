import { DELIVERY_CLASSES, type DeliveryClass, remedyOf } from '@hookline/protocol'
import { expect, test } from 'vitest'
import { NOON } from '@hookline/testing/records/accepted-event'
import { newDestination } from '@hookline/testing/records/catalog-records'
import { THRESHOLDS } from '../../src/alerts/conditions.ts'
import { activeAlerts } from '../../src/alerts/alert-states.ts'
import { currentProblems, findingsIn } from '../../src/alerts/current-problems.ts'
import type { DestinationFacts, ProblemFacts } from '../../src/alerts/facts.ts'
import type { DestinationResults } from '../../src/alerts/recent-results.ts'

const MINUTE = 60_000
const URL_A = 'https://a.example/secret-path'

const NOTHING: ProblemFacts = {
  now: NOON,
  destinations: [],
  uncheckedDestinations: 0,
  refused: [],
  unlinked: [],
  quarantined: 0,
  corruptions: [],
  missing: 0,
  disk: { freeBytes: 1e12, totalBytes: 1e12 },
  lastBackupAt: null,
  lostNodes: [],
  missedBySyncs: [],
  checks: {},
}

const WEBHOOK = {
  url: URL_A,
  state: {
    url: URL_A,
    breaker: 'closed' as const,
    brokenSince: null,
    openUntil: null,
    retryAfterUntil: null,
    pacePerSecond: null,
  },
  waiting: {
    pending: 0,
    held: 0,
    oldestAt: undefined,
    firstDueAt: undefined,
    dueAt: undefined,
  },
  retryWindowMs: 4 * 60 * MINUTE,
}

const GOOD: DestinationResults = {
  attempts: 100,
  delivered: 100,
  recent: { attempts: 10, delivered: 10 },
  failuresInRow: 0,
  lastDeliveredAt: NOON,
  lastFailedAt: null,
  failingSince: null,
}

function destination(changes: Partial<DestinationFacts> = {}): DestinationFacts {
  return {
    destination: newDestination({ settings: { webhooks: [{ url: URL_A, headers: {} }] } }),
    pending: 0,
    held: 0,
    webhooks: [WEBHOOK],
    results: undefined,
    hasRecovered: false,
    expired: undefined,
    rejected: undefined,
    failures: [],
    certificates: [],
    longRetryWindows: [],
    ...changes,
  }
}

function problemsOf(changes: Partial<DestinationFacts>) {
  return currentProblems({ ...NOTHING, destinations: [destination(changes)] })
}

test('a healthy service lists no problems', () => {
  expect(currentProblems({ ...NOTHING, destinations: [destination({ results: GOOD })] })).toEqual(
    [],
  )
})

test.each<[string, Partial<ProblemFacts>, string]>([
  [
    'little free space',
    { disk: { freeBytes: THRESHOLDS.minFreeBytes - 1, totalBytes: 1e12 } },
    'disk_low',
  ],
  ['little free space on a small disk', { disk: { freeBytes: 99, totalBytes: 1_000 } }, 'disk_low'],
  ['quarantined items', { quarantined: 2 }, 'quarantine'],
  ['corrupted data', { corruptions: [{ foundAt: NOON, description: 'lost' }] }, 'damage_found'],
  ['missing rows', { missing: 1 }, 'damage_found'],
  ['an old backup', { lastBackupAt: NOON - THRESHOLDS.maxBackupAgeMs - 1 }, 'backup_old'],
  ['a lost node', { lostNodes: [{ id: 'n', seenAt: NOON }] }, 'node_lost'],
  ['missed changes', { missedBySyncs: [{ id: 'aud_a', name: 'A', count: 1 }] }, 'sync_missed'],
  ['unchecked destinations', { uncheckedDestinations: 2 }, 'destinations_skipped'],
  ['a failed check', { checks: { database: { ok: false, reason: 'full' } } }, 'check_failed'],
  ['a check with a warning', { checks: { clock: { ok: true, note: 'set' } } }, 'check_warning'],
])('one problem is listed for %s', (_name, facts, condition) => {
  expect(currentProblems({ ...NOTHING, ...facts }).map((each) => each.condition)).toEqual([
    condition,
  ])
})

test('values at the thresholds are not listed', () => {
  const lastBackupAt = NOON - THRESHOLDS.maxBackupAgeMs
  for (const disk of [
    { freeBytes: THRESHOLDS.minFreeBytes, totalBytes: 1e12 },
    { freeBytes: 100, totalBytes: 1_000 },
  ])
    expect(currentProblems({ ...NOTHING, disk, lastBackupAt })).toEqual([])
})

test('the problem of an old backup begins when the backup exceeds the maximum age', () => {
  const lastBackupAt = NOON - THRESHOLDS.maxBackupAgeMs - MINUTE
  const problems = currentProblems({ ...NOTHING, lastBackupAt })
  expect(problems).toMatchObject([{ condition: 'backup_old', since: NOON - MINUTE }])
})

test('refused calls name the source and the number of lost calls, and come first', () => {
  const [first] = currentProblems({
    ...NOTHING,
    disk: { freeBytes: 0, totalBytes: 1e12 },
    refused: [
      {
        source: { id: 'src_a', name: 'Shop' },
        reason: 'source_disabled',
        count: 40,
        since: NOON,
      },
    ],
  })
  expect(first).toMatchObject({
    condition: 'calls_refused',
    title: 'Shop: 40 calls were refused and lost, because the source is disabled.',
    subject: { kind: 'source', id: 'src_a', name: 'Shop' },
    count: 40,
  })
})

test('rejected deliveries are lost data, with the remedy of their class', () => {
  const rejected = { count: 3, firstAt: NOON - 1, class: 'transform_failed' } as const
  expect(problemsOf({ results: GOOD, rejected })).toMatchObject([
    {
      condition: 'deliveries_rejected',
      title: `CRM: 3 deliveries were rejected in the last hour. ${DELIVERY_CLASSES.transform_failed.meaning}`,
      remedy: DELIVERY_CLASSES.transform_failed.help,
      count: 3,
      since: NOON - 1,
    },
  ])
})

test('a destination that has never worked is failing after one attempt', () => {
  const results = { ...GOOD, attempts: 1, delivered: 0, failuresInRow: 1 }
  expect(problemsOf({ results })).toMatchObject([
    {
      condition: 'webhook_failing',
      title: 'CRM: No attempt succeeded in the last hour (1 failed).',
    },
  ])
})

test('a destination whose last attempt succeeded is not listed if no attempt has failed for a while', () => {
  const results = { ...GOOD, attempts: 500, delivered: 1, recent: { attempts: 500, delivered: 1 } }
  expect(problemsOf({ results })).toHaveLength(1)
  expect(problemsOf({ results, hasRecovered: true })).toEqual([])
})

test('a destination that works again is not listed, even if most attempts in the last hour failed', () => {
  const results = { ...GOOD, attempts: 500, delivered: 3, recent: { attempts: 3, delivered: 3 } }
  expect(problemsOf({ results })).toEqual([])
})

test.each<[string, Partial<DestinationResults>, number]>([
  [
    'is listed if few of the recent attempts succeed',
    { recent: { attempts: 10, delivered: 4 } },
    1,
  ],
  [
    'is not listed if half of the recent attempts succeed',
    { recent: { attempts: 10, delivered: 5 } },
    0,
  ],
  [
    'is not listed if there are too few recent attempts to judge',
    { recent: { attempts: 9, delivered: 1 } },
    0,
  ],
  ['is listed if the last three attempts failed', { failuresInRow: 3 }, 1],
  ['is not listed if only the last two attempts failed', { failuresInRow: 2 }, 0],
])('a destination %s', (_name, results, count) => {
  expect(problemsOf({ results: { ...GOOD, ...results } })).toHaveLength(count)
})

test.each<[DeliveryClass, number | null, string, (string | undefined)?]>([
  ['http_5xx', 500, 'planted', 'The receiver responded with 500 (Internal Server Error).'],
  ['http_4xx', 499, 'planted', 'The receiver responded with 499.'],
  ['redirect', 301, 'planted', 'The receiver responded with 301 (Moved Permanently).'],
  ['connection_failed', null, 'The connection was refused (ECONNREFUSED).', undefined],
  ['certificate_invalid', null, 'The certificate has expired (CERT_HAS_EXPIRED).', undefined],
  ['timeout', null, 'No response within 5000 ms.', undefined],
  ['auth_failed', null, 'planted', DELIVERY_CLASSES.auth_failed.meaning],
  ['transform_failed', null, 'planted', DELIVERY_CLASSES.transform_failed.meaning],
  ['request_invalid', null, 'planted', DELIVERY_CLASSES.request_invalid.meaning],
  ['mail_refused', null, 'planted', DELIVERY_CLASSES.mail_refused.meaning],
])(
  'the alert about a destination that fails with %s %s has a reason without user data',
  (failure, status, lastError, reason = lastError) => {
    const seen = {
      firstSeenAt: NOON,
      lastSeenAt: NOON,
      sampleDeliveryId: 'msg_1',
      isComplete: true,
    }
    const group = { destinationId: 'dst_a', class: failure, status, count: 3, lastError, ...seen }
    const times = { oldestAt: NOON - 2 * MINUTE, firstDueAt: NOON - MINUTE, dueAt: NOON }
    const waiting = { pending: 4, held: 0, ...times }
    const facts = destination({
      results: { ...GOOD, attempts: 3, delivered: 0 },
      webhooks: [{ ...WEBHOOK, waiting }],
      rejected: { count: 2, firstAt: NOON },
      failures: [group],
    })
    const alerts = activeAlerts(findingsIn({ ...NOTHING, destinations: [facts] }), '/console')
    const { properties } = alerts.get('webhook_failing destination dst_a')!
    expect(properties['title']).toMatch(/^CRM: /)
    expect(properties['title']).toContain(reason)
    expect(properties.details).toEqual({
      class: failure,
      pending: 4,
      expiresAt: '2026-01-15T15:59:00.000Z',
      rejected: 2,
    })
    expect(JSON.stringify(properties)).not.toContain('planted')
  },
)

test('the alert about a destination whose failure changed has the latest reason', () => {
  const seen = {
    firstSeenAt: NOON,
    sampleDeliveryId: 'msg_1',
    destinationId: 'dst_a',
    isComplete: true,
  }
  const groups = [
    { class: 'http_5xx', status: 500, count: 90, lastError: null, lastSeenAt: NOON - MINUTE },
    { class: 'http_4xx', status: 401, count: 1, lastError: null, lastSeenAt: NOON },
  ] as const
  const facts = destination({
    results: { ...GOOD, attempts: 91, delivered: 0 },
    failures: groups.map((group) => ({ ...group, ...seen })),
  })
  const alerts = activeAlerts(findingsIn({ ...NOTHING, destinations: [facts] }), '/console')
  expect(alerts.get('webhook_failing destination dst_a')!.properties).toMatchObject({
    title: expect.stringContaining('401 (Unauthorized)'),
    remedy: expect.stringContaining('credentials'),
  })
})

test('a destination has one row, with its causes and the worst one as its title', () => {
  const oldestAt = NOON - 3.5 * 60 * MINUTE
  const state = { ...WEBHOOK.state, breaker: 'open' as const, brokenSince: oldestAt }
  const problems = problemsOf({
    webhooks: [
      {
        ...WEBHOOK,
        state,
        waiting: { ...WEBHOOK.waiting, pending: 5, oldestAt, firstDueAt: oldestAt },
      },
    ],
    expired: { count: 2, firstAt: NOON - 1 },
    failures: [
      {
        destinationId: 'dst_a',
        class: 'http_5xx',
        status: 503,
        count: 1_709,
        isComplete: false,
        firstSeenAt: NOON - 9,
        lastSeenAt: NOON,
        sampleDeliveryId: 'msg_a',
        lastError: null,
      },
    ],
  })
  expect(problems).toHaveLength(1)
  expect(problems[0]!.causes.map(({ condition }) => condition)).toEqual([
    'deliveries_expired',
    'deliveries_expiring',
    'webhook_failing',
  ])
  expect(problems[0]).toMatchObject({
    condition: 'deliveries_expired',
    title: 'CRM: 2 deliveries expired and have not been replayed.',
    to: '/failures?destination=dst_a',
  })
  expect(problems[0]!.causes[2]!.title).toContain(
    'The receiver responded with 503 (Service Unavailable).',
  )
  // A path may contain a credential.
  expect(problems[0]!.causes.map(({ title }) => title).join()).not.toContain('secret-path')
})

test("a destination's failure is listed once, followed by its earlier causes", () => {
  const seen = { destinationId: 'dst_a', firstSeenAt: NOON - 9, lastError: null }
  const [problem] = problemsOf({
    results: { ...GOOD, attempts: 40, delivered: 0, failingSince: NOON - MINUTE },
    rejected: { count: 40, firstAt: NOON - 50 * MINUTE, class: 'http_4xx' },
    failures: [
      {
        ...seen,
        class: 'http_5xx',
        status: 503,
        count: 1_709,
        isComplete: false,
        lastSeenAt: NOON - 5,
        sampleDeliveryId: 'msg_old',
      },
      {
        ...seen,
        class: 'http_4xx',
        status: 401,
        count: 40,
        isComplete: true,
        lastSeenAt: NOON,
        sampleDeliveryId: 'msg_new',
      },
    ],
  })
  expect(problem).toMatchObject({
    title:
      'CRM: 40 deliveries were rejected in the last hour. The receiver responded with 401 (Unauthorized).',
    remedy: remedyOf('http_4xx', 401),
    since: NOON - MINUTE,
    failure: { sampleDeliveryId: 'msg_new' },
  })
  expect(problem!.causes.map(({ title, remedy }) => [title, remedy])).toEqual([
    [problem!.title, problem!.remedy],
    ['CRM: No attempt succeeded in the last hour (40 failed).', null],
    [
      `CRM: 1,709+ deliveries failed with 503. ${DELIVERY_CLASSES.http_5xx.meaning}`,
      remedyOf('http_5xx', 503),
    ],
  ])
})

test('deliveries that wait without a known reason are late after ten minutes', () => {
  const waiting = (ageMs: number) =>
    problemsOf({
      webhooks: [
        { ...WEBHOOK, waiting: { ...WEBHOOK.waiting, pending: 1, oldestAt: NOON - ageMs } },
      ],
    }).map(({ condition }) => condition)
  expect(waiting(10 * MINUTE)).toEqual([])
  expect(waiting(10 * MINUTE + 1)).toEqual(['deliveries_late'])
})

test('deliveries count as about to expire from an hour before their window ends, or from the middle of a window shorter than two hours', () => {
  const conditions = (retryWindowMs: number, ageMs: number, receivedAgoMs = ageMs) =>
    problemsOf({
      webhooks: [
        {
          ...WEBHOOK,
          retryWindowMs,
          waiting: {
            ...WEBHOOK.waiting,
            pending: 1,
            oldestAt: NOON - receivedAgoMs,
            firstDueAt: NOON - ageMs,
          },
        },
      ],
    })[0]?.condition
  expect(conditions(240 * MINUTE, 179 * MINUTE)).toBe('deliveries_late')
  expect(conditions(240 * MINUTE, 180 * MINUTE)).toBe('deliveries_expiring')
  // A pause, a replay or a manual retry starts a new window.
  expect(conditions(240 * MINUTE, 179 * MINUTE, 300 * MINUTE)).toBe('deliveries_late')
  expect(conditions(10 * MINUTE, 4 * MINUTE)).toBe(undefined)
  expect(conditions(10 * MINUTE, 5 * MINUTE)).toBe('deliveries_expiring')
})

test('a webhook that Hookline paused is failing, and one that an operator paused is not', () => {
  const paused = (reason: 'operator' | 'webhook_gone') => {
    const webhooks = [{ url: URL_A, headers: {}, paused: { since: NOON, reason } }]
    return problemsOf({ destination: newDestination({ settings: { webhooks } }), webhooks: [] })
  }
  expect(paused('webhook_gone')[0]!.condition).toBe('webhook_paused')
  expect(paused('operator')[0]!.condition).toBe('deliveries_held')
})

test('a disabled destination is a problem only if it has undelivered events', () => {
  const disabled = newDestination({ enabled: false })
  expect(problemsOf({ destination: disabled, webhooks: [] })).toEqual([])
  expect(problemsOf({ destination: disabled, webhooks: [], pending: 3 })[0]!.condition).toBe(
    'deliveries_held',
  )
})
