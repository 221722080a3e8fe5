import { describe, expect, test } from 'vitest'
import { LIMITS, type WebhookLimits, type WebhooksSettings } from '@hookline/protocol'
import {
  exportWebhooksSettings,
  parseWebhooksSettings,
  presentWebhooksSettings,
} from '../../../src/admin/destinations/settings.ts'

const URL_A = 'https://a.example/'
const DAY = 24 * 60 * 60_000
const rules = { retentionMs: 7 * DAY }

function parse(limits: unknown, previous?: WebhooksSettings) {
  const input = { webhooks: [{ url: URL_A, headers: {}, limits }] }
  return parseWebhooksSettings(input, previous, rules)
}

function settingsOf(limits: unknown): WebhooksSettings {
  const parsed = parse(limits)
  if ('errors' in parsed) expect.fail(JSON.stringify(parsed.errors))
  return parsed.settings
}

function limitsOf(limits: unknown): WebhookLimits | undefined {
  return settingsOf(limits).webhooks[0]!.limits
}

function errorsOf(limits: unknown) {
  const parsed = parse(limits)
  return 'errors' in parsed ? parsed.errors : []
}

const ALL = {
  perSecond: 20,
  concurrency: 4,
  timeout: '20s',
  retryWindow: '3d',
  retrySchedule: ['5s', '5m', '30m', '2h', '5h', '10h'],
  retryOn: [409],
}

describe('the limits of a webhook', () => {
  test('are parsed, shown and exported in the same form', () => {
    const settings = settingsOf(ALL)
    expect(settings.webhooks[0]!.limits).toEqual({
      perSecond: 20,
      concurrency: 4,
      timeoutMs: 20_000,
      retryWindowMs: 3 * DAY,
      retryScheduleMs: [5_000, 300_000, 1_800_000, 7_200_000, 18_000_000, 36_000_000],
      retryOn: [409],
    })
    expect(presentWebhooksSettings(settings).webhooks[0]).toMatchObject({ limits: ALL })
    const exported = exportWebhooksSettings(settings, false)
    expect(parseWebhooksSettings(exported, undefined, rules)).toEqual({ settings })
  })

  test('are unset if absent, null or empty, and each field may be null', () => {
    for (const none of [undefined, null, {}, { timeout: null, retryOn: null }])
      expect(limitsOf(none)).toBeUndefined()
    expect(limitsOf({ retryOn: [409, 423, 409] })).toEqual({ retryOn: [409, 423] })
    expect(limitsOf({ timeout: '1s', perSecond: null })).toEqual({ timeoutMs: 1_000 })
    expect(presentWebhooksSettings(settingsOf(null)).webhooks[0]).not.toHaveProperty('limits')
  })

  test('are replaced with the list of webhooks, and kept if the change omits it', () => {
    const previous = settingsOf(ALL)
    const replaced = parse(undefined, previous)
    expect('settings' in replaced && replaced.settings.webhooks[0]!.limits).toBeUndefined()
    const changed = parseWebhooksSettings({ successPolicy: 'each' }, previous, rules)
    expect('settings' in changed && changed.settings.webhooks).toEqual(previous.webhooks)
  })

  test.each([
    [{ perSecond: LIMITS.minAttemptsPerSecond }, true],
    [{ perSecond: LIMITS.maxAttemptsPerSecond }, true],
    [{ perSecond: 0.49 }, false],
    [{ perSecond: 1_000.1 }, false],
    [{ concurrency: 1 }, true],
    [{ concurrency: LIMITS.maxWebhookConcurrency }, true],
    [{ concurrency: 0 }, false],
    [{ concurrency: 1.5 }, false],
    [{ concurrency: LIMITS.maxWebhookConcurrency + 1 }, false],
    [{ timeout: '100ms' }, true],
    [{ timeout: '30s' }, true],
    [{ timeout: '99ms' }, false],
    [{ timeout: '31s' }, false],
    [{ retryWindow: '0s' }, true],
    [{ retryWindow: '167h59m' }, true],
    [{ retryWindow: '8d' }, false],
    [{ retrySchedule: ['1s', '24h'] }, true],
    [{ retrySchedule: Array<string>(LIMITS.retryDelaysPerWebhook).fill('1m') }, true],
    [{ retrySchedule: Array<string>(LIMITS.retryDelaysPerWebhook + 1).fill('1m') }, false],
    [{ retrySchedule: ['999ms'] }, false],
    [{ retrySchedule: ['25h'] }, false],
    [{ retrySchedule: [] }, false],
    [{ retrySchedule: [5] }, false],
    [{ retryOn: [400, 409, 423, 499] }, true],
    [{ retryOn: [410] }, false],
    [{ retryOn: [408] }, false],
    [{ retryOn: [429] }, false],
    [{ retryOn: [200] }, false],
    [{ retryOn: [500] }, false],
    [{ retryOn: [409.5] }, false],
    [{ retryOn: Array<number>(LIMITS.statusesToRetry + 1).fill(409) }, false],
  ])('%j is accepted: %s', (limits, isAccepted) => {
    const errors = errorsOf(limits)
    expect(errors).toHaveLength(isAccepted ? 0 : 1)
    const [name] = Object.keys(limits)
    for (const { pointer, hint } of errors) {
      expect(pointer).toMatch(new RegExp(`^/webhooks/0/limits/${name}(/\\d+)?$`))
      expect(hint).not.toBe('')
    }
  })

  test.each([
    [{ timeout: 20 }, 'timeout invalid_type'],
    [{ timeout: 'soon' }, 'timeout invalid_format'],
    [{ timeout: '1h' }, 'timeout out_of_range'],
    [{ retrySchedule: ['5s', 5] }, 'retrySchedule/1 invalid_type'],
    [{ retrySchedule: ['5 s'] }, 'retrySchedule/0 invalid_format'],
    [{ retrySchedule: ['25h'] }, 'retrySchedule/0 out_of_range'],
  ])('distinguish wrong types, formats and ranges of times: %j', (limits, expected) => {
    const errors = errorsOf(limits).map(({ pointer, code }) => `${pointer} ${code}`)
    expect(errors).toEqual([`/webhooks/0/limits/${expected}`])
  })

  test('refuse a retry window that is not shorter than retention, with the remedy', () => {
    const [found, ...others] = errorsOf({ retryWindow: '7d' })
    expect(others).toEqual([])
    expect(found).toMatchObject({
      pointer: '/webhooks/0/limits/retryWindow',
      code: 'out_of_range',
      message: 'retryWindow must be shorter than retention, which is 7d.',
      hint: expect.stringContaining('increase the retention setting'),
    })
  })

  test.each([
    [5, ''],
    [[], ''],
    ['20/s', ''],
    [{ perSeconds: 5 }, '/perSeconds'],
    [{ perSecond: '20' }, '/perSecond'],
    [{ perSecond: Number.NaN }, '/perSecond'],
    [{ timeout: 20 }, '/timeout'],
    [{ timeout: '-1s' }, '/timeout'],
    [{ retryWindow: { toString: 1 } }, '/retryWindow'],
    [{ retrySchedule: '5s,5m' }, '/retrySchedule'],
    [{ retryOn: 409 }, '/retryOn'],
    [JSON.parse('{"__proto__": {"perSecond": 5}}'), '/__proto__'],
  ])('%j has one error', (limits, pointer) => {
    expect(errorsOf(limits)).toMatchObject([{ pointer: `/webhooks/0/limits${pointer}` }])
  })
})
