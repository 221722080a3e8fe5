import { expect, test } from 'vitest'
import { fuzzService } from './wire/fuzz-service.ts'

const FUZZ_MS = Number(process.env['HOOKLINE_TEST_FUZZ_MS'] ?? 10_000)

test(`for ${FUZZ_MS} ms, malformed requests neither stop the service nor get a 500`, async () => {
  const { seen } = await fuzzService(FUZZ_MS)
  expect(seen.get(200)).toBeGreaterThan(0)
  expect(seen.get(400)).toBeGreaterThan(0)
})
