import { describe, expect, test } from 'vitest'
import { effectiveLimits } from '../src/effective-limits.ts'

const SERVICE = { concurrency: 64, timeout: '10s', retryWindow: '4h' }

describe('the effective limits of a webhook', () => {
  test("are by default the service's settings, or null where it has none", () => {
    const service = (value: unknown, setting: string | null) => ({
      value,
      origin: 'service',
      setting,
    })
    expect(effectiveLimits(undefined, SERVICE)).toEqual({
      perSecond: service(null, null),
      concurrency: service(64, 'maxConcurrencyPerWebhook'),
      timeout: service('10s', 'attemptTimeout'),
      retryWindow: service('4h', 'retryWindow'),
      retrySchedule: service(null, 'retrySchedule'),
      retryOn: service(null, null),
    })
  })

  test('come from the webhook where it sets them', () => {
    const own = { perSecond: 20, concurrency: 4, timeout: '20s', retryOn: [409] }
    const limits = effectiveLimits(own, SERVICE)
    for (const [name, value] of Object.entries(own))
      expect(limits).toHaveProperty(name, { value, origin: 'webhook', setting: null })
    expect(limits.retryWindow).toMatchObject({ value: '4h', origin: 'service' })
  })

  test('include the lower of the two values for concurrency', () => {
    expect(effectiveLimits({ concurrency: 100 }, SERVICE).concurrency).toMatchObject({
      value: 64,
      origin: 'service',
    })
  })
})
