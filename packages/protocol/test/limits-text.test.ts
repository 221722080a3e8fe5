import { expect, test } from 'vitest'
import { limitsText, type PresentedLimits } from '../src/index.ts'

test.for<[PresentedLimits, string]>([
  [{ perSecond: 20, timeout: '20s' }, '20 attempts/s; timeout 20s'],
  [{ concurrency: 4, retryOn: [409, 423] }, '4 in flight; retries on 409, 423'],
  [{ retryWindow: '3d', retrySchedule: ['5s', '2h'] }, 'retry window 3d; retries after 5s, 2h'],
  [{ retryWindow: '0ms' }, 'no retries'],
])('the limits %j are shown as "%s"', ([limits, text]) => {
  expect(limitsText(limits)).toBe(text)
})
