import { expect, test } from 'vitest'
import { fuzzService } from './wire/fuzz-service.ts'

const LIVE_WITHIN_MS = 1_000

test('bytes that are no HTTP do not delay the responses to others', async () => {
  const { livezMs } = await fuzzService(10_000)
  // A machine that is busy with other things may be late once.
  const slow = livezMs.filter((ms) => ms > LIVE_WITHIN_MS)
  expect(slow.length, `slow responses of /livez: ${slow.join()} ms`).toBeLessThan(2)
})
