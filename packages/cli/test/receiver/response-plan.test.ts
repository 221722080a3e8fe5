import { describe, expect, it } from 'vitest'
import { parseDelay, parseFault, ResponsePlan } from '../../src/receiver/response-plan.ts'

describe('a receiver', () => {
  const statuses = (fault?: string) => {
    const plan = new ResponsePlan(fault === undefined ? undefined : parseFault(fault))
    return [plan.next(), plan.next(), plan.next()]
  }

  it.for([
    [undefined, [200, 200, 200]],
    ['500:2', [500, 500, 200]],
    ['410:1', [410, 200, 200]],
    ['503', [503, 503, 503]],
  ] as const)('with --fail %s responds with %j', ([fault, expected]) => {
    expect(statuses(fault)).toEqual(expected)
  })

  it.for(['', '9', '99:1', '600:1', '500:0', '500:', '500:x', 'abc:1'])(
    'refuses --fail %j',
    (text) => {
      expect(() => parseFault(text)).toThrow('like 500:2')
    },
  )

  it.for([
    ['0ms', 0],
    ['300ms', 300],
    ['3s', 3000],
    ['2m', 120_000],
  ] as const)('with --delay %s waits for %i ms', ([text, ms]) => {
    expect(parseDelay(text)).toBe(ms)
  })

  it.for(['', '3', 's', '2h', '-1s', '1.5s'])('refuses --delay %j', (text) => {
    expect(() => parseDelay(text)).toThrow('like 300ms, 3s or 1m')
  })
})
