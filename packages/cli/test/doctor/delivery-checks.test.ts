import { describe, expect, it } from 'vitest'
import { type CheckedDestination, deliveryChecks } from '../../src/doctor/delivery-checks.ts'

type Health = CheckedDestination['health']
type Pause = CheckedDestination['paused']

const NOW = Date.parse('2026-07-01T12:00:00.000Z')
const SINCE = '2026-07-01T11:40:00.000Z'
const NEXT = '2026-07-01T12:04:00.000Z'
const URL = 'https://crm.example/hook'

const IDLE: Health['webhooks'][number] = {
  url: URL,
  breaker: 'closed',
  brokenSince: null,
  openUntil: null,
  retryAfterUntil: null,
  pacePerSecond: null,
  pending: 0,
  held: 0,
  oldestPendingAt: null,
}

interface DestinationOverrides {
  readonly webhook?: Partial<Health['webhooks'][number]>
  readonly health?: Partial<Health>
  readonly paused?: Pause
  readonly webhookPaused?: Pause
  readonly enabled?: boolean
  readonly warnings?: CheckedDestination['warnings']
}

function destination(overrides: DestinationOverrides = {}): CheckedDestination {
  const {
    webhook = {},
    health = {},
    paused = null,
    webhookPaused = null,
    enabled = true,
    warnings,
  } = overrides
  return {
    ...(warnings && { warnings }),
    id: 'dst_1',
    name: 'CRM',
    enabled,
    paused,
    settings: {
      sharedSecret: { set: false },
      signature: 'secret',
      webhooks: [{ url: URL, headers: {}, paused: webhookPaused }],
      successPolicy: 'any',
    },
    health: {
      webhooks: [{ ...IDLE, ...webhook }],
      pending: webhook.pending ?? 0,
      held: webhook.held ?? 0,
      oldestPendingAt: webhook.oldestPendingAt ?? null,
      oldestPendingAgeMs: null,
      lastHour: { attempts: 0, delivered: 0, successRate: null, lastFailedAt: null },
      p95LatencyMs: null,
      ...health,
    },
  }
}

const check = (name: string, ...overrides: readonly DestinationOverrides[]) =>
  deliveryChecks(overrides.map(destination), [], NOW)[name]!

const lastHour = (attempts: number, delivered: number): Partial<Health> => ({
  lastHour: { attempts, delivered, successRate: delivered / attempts, lastFailedAt: null },
})

const OPEN = { breaker: 'open', brokenSince: SINCE, openUntil: NEXT, pending: 20 } as const

describe('the delivery checks', () => {
  it.for([
    ['no destination', []],
    ['an idle destination', [{}]],
    ['one that delivers', [{ health: lastHour(1_000, 990), webhook: { pending: 3 } }]],
    ['a few failures', [{ health: lastHour(9, 0) }]],
    ['deliveries that wait for a short time', [{ webhook: { oldestPendingAt: NEXT, pending: 9 } }]],
    ['an open breaker of a disabled destination', [{ webhook: OPEN, enabled: false }]],
  ] as const)('pass with %s', ([, overrides]) => {
    const found = Object.values(deliveryChecks(overrides.map(destination), [], NOW))
    expect(found.filter(({ ok, warning }) => !ok || warning)).toEqual([])
  })

  it('fail for a breaker that is not closed, with its cause, start and next attempt', () => {
    expect(check('breakers', { webhook: OPEN })).toEqual({
      ok: false,
      detail: '1 webhook with an open breaker',
      causes: [`${URL} of CRM (dst_1): open since ${SINCE}, next attempt ${NEXT}; 20 pending`],
      next: expect.stringContaining('hookline destinations close-breaker dst_1'),
    })
    const halfOpen = { ...OPEN, breaker: 'half_open', openUntil: null } as const
    expect(check('breakers', { webhook: halfOpen })).toMatchObject({
      ok: false,
      causes: [expect.stringContaining(`half-open since ${SINCE}`)],
    })
  })

  it.for([
    ['webhook_gone', 'responded repeatedly with 410 Gone'],
    ['disabled_by_receiver', 'responded with webhook-delivery: disable'],
    ['url_forbidden', 'address or port not in allowedNetworks or allowedPorts'],
  ] as const)('fail for a paused webhook, %s', ([reason, cause]) => {
    expect(check('webhooks', { webhookPaused: { since: SINCE, reason } })).toMatchObject({
      ok: false,
      detail: '1 webhook paused',
      causes: [`${URL} of CRM (dst_1): since ${SINCE}: ${cause}`],
    })
  })

  it('warn of a client certificate that expires soon', () => {
    const message = 'The client certificate expires at 2026-12-01T00:00:00.000Z.'
    const warning = { pointer: '', code: 'certificate_expires', message, hint: '' }
    const other = { ...warning, code: 'name_unresolved' }
    expect(check('client certificates', { warnings: [other, warning] })).toMatchObject({
      ok: true,
      warning: true,
      detail: '1 client certificate expired, or about to expire',
      causes: [`CRM (dst_1): ${message}`],
    })
  })

  it('warn of a retry window that is not shorter than retention', () => {
    const message = 'retryWindow must be shorter than retention, which is 13h.'
    const warning = { pointer: '', code: 'retry_window_too_long', message, hint: '' }
    expect(check('retry windows', { warnings: [warning] })).toMatchObject({
      ok: true,
      warning: true,
      detail: '1 webhook with a retry window that is too long',
      causes: [`CRM (dst_1): ${message}`],
      next: expect.stringContaining('increase the `retention` setting'),
    })
    expect(check('retry windows', {})).toMatchObject({ ok: true })
  })

  it('fail if a delivery has waited for longer than ten minutes', () => {
    const webhook = { pending: 50_000, oldestPendingAt: SINCE }
    expect(check('backlog', { webhook })).toMatchObject({
      ok: false,
      causes: [`${URL} of CRM (dst_1): 50,000 pending, the oldest since ${SINCE} (20 min 0 s)`],
    })
  })

  it('count the backlog of one webhook even if another one accepted the events', () => {
    const webhook = { pending: 50, oldestPendingAt: NEXT }
    expect(check('backlog', { webhook, health: { pending: 0 } })).toEqual({
      ok: true,
      detail: '50 deliveries pending',
    })
  })

  it.for([
    ['Retry-After', true, `Retry-After, next attempt ${NEXT}`],
    ['a disabled destination', false, 'the destination is disabled'],
  ] as const)('report a backlog caused by %s, since when, and until when', ([, enabled, until]) => {
    const oldestPendingAt = '2026-07-01T11:59:00.000Z'
    const webhook = { retryAfterUntil: NEXT, pending: 7, oldestPendingAt }
    expect(check('backlog', { enabled, webhook })).toEqual({
      ok: true,
      detail: '7 deliveries pending',
      causes: [expect.stringMatching(`7 pending, the oldest since ${oldestPendingAt} .*${until}$`)],
    })
  })

  it('fail below a success rate of 50% over at least ten attempts', () => {
    expect(check('success rate', { health: lastHour(10, 4) }, {})).toMatchObject({
      ok: false,
      detail: 'last hour: 10 attempts, 4 delivered (40%); 1 destination below 50%',
      causes: ['CRM (dst_1): 10 attempts, 4 delivered (40%)'],
    })
    expect(check('success rate', { health: lastHour(10, 5) })).toMatchObject({ ok: true })
  })

  it('judge all destinations together if each has few attempts', () => {
    expect(check('success rate', { health: lastHour(9, 1) }, { health: lastHour(9, 2) })).toEqual({
      ok: false,
      detail: 'last hour: 18 attempts, 3 delivered (16%); 2 destinations below 50%',
      causes: [
        'CRM (dst_1): 9 attempts, 1 delivered (11%)',
        'CRM (dst_1): 9 attempts, 2 delivered (22%)',
      ],
      next: expect.stringContaining('`hookline deliveries failures`'),
    })
    expect(check('success rate', { health: lastHour(9, 1) })).toEqual({
      ok: true,
      detail: 'last hour: 9 attempts, 1 delivered (11%); too few attempts for a verdict',
    })
  })

  it('name real ids in every next step', () => {
    const found = deliveryChecks(
      [
        destination({ webhook: { ...OPEN, oldestPendingAt: SINCE }, health: lastHour(10, 0) }),
        destination({
          webhook: { held: 2 },
          warnings: ['certificate_expired', 'retry_window_too_long'].map((code) => ({
            pointer: '',
            code,
            message: '',
            hint: '',
          })),
          webhookPaused: { since: SINCE, reason: 'webhook_gone' },
        }),
      ],
      [{ destinationId: 'dst_1', class: 'not_attempted', count: 3 }],
      NOW,
    )
    const next = Object.values(found).map((each) => each.next)
    expect(next).toHaveLength(8)
    for (const each of next) expect(each).toMatch(/dst_1/)
    expect(next.join()).not.toContain('<id>')
  })

  it('flag deliveries that ended without an attempt, at existing destinations', () => {
    const failures = [
      { destinationId: 'dst_1', class: 'http_5xx', count: 9 },
      { destinationId: 'dst_1', class: 'not_attempted', count: 2_000 },
      { destinationId: 'dst_1', class: 'quarantined', count: 1 },
      { destinationId: 'dst_removed', class: 'not_attempted', count: 7 },
    ]
    expect(deliveryChecks([destination()], failures, NOW)['failures']).toEqual({
      ok: true,
      warning: true,
      detail: '2,001 deliveries quarantined, or expired before the first attempt',
      causes: ['CRM (dst_1): 2,000 expired before the first attempt', 'CRM (dst_1): 1 quarantined'],
      next: '`hookline deliveries failures --destination dst_1` shows the remedy',
    })
  })

  it('report held deliveries, and warn if there are many', () => {
    const paused = { since: SINCE, reason: 'operator' } as const
    expect(check('held', { paused, webhook: { held: 1_000 } })).toMatchObject({
      ok: true,
      warning: true,
      causes: [`CRM (dst_1): 1,000 held, paused since ${SINCE}`],
    })
    expect(check('held', { paused, webhook: { held: 999 } })).toEqual({
      ok: true,
      detail: '999 deliveries held',
      causes: [`CRM (dst_1): 999 held, paused since ${SINCE}`],
      next: expect.stringContaining('hookline destinations resume dst_1'),
    })
  })

  it('use the singular for one attempt or delivery', () => {
    const webhook = { pending: 1, held: 1 }
    const checks = deliveryChecks([destination({ webhook, health: lastHour(1, 0) })], [], NOW)
    expect(checks).toMatchObject({
      backlog: { detail: '1 delivery pending' },
      'success rate': {
        detail: 'last hour: 1 attempt, 0 delivered (0%); too few attempts for a verdict',
      },
      held: { detail: '1 delivery held' },
    })
  })

  it('list ten causes and count the others', () => {
    const { causes } = check('breakers', ...Array.from({ length: 12 }, () => ({ webhook: OPEN })))
    expect([causes!.length, causes!.at(-1)]).toEqual([11, 'and 2 more'])
  })
})
