import { expect, test } from 'vitest'
import { fuzzService } from './wire/fuzz-service.ts'

const LIVE_WITHIN_MS = 1_000

test('malformed HTTP does not delay responses to other clients', async () => {
  const { livezMs } = await fuzzService(10_000)
  // A busy machine may be late once.
  const slow = livezMs.filter((ms) => ms > LIVE_WITHIN_MS)
  expect(slow.length, `slow responses of /livez: ${slow.join()} ms`).toBeLessThan(2)
})
