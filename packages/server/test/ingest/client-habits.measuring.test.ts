import { expect, test } from 'vitest'
import { IngestHarness } from './ingest-harness.ts'

test('non-finite numbers are found without delay in 270 KB of quotes and backslashes', async () => {
  await using harness = await IngestHarness.open()
  const started = performance.now()
  for (const unit of ['"', '\\', '\\"', '"\\']) {
    const { status } = await harness.post('/v1/batch', `NaN${unit.repeat(270_000 / unit.length)}`)
    expect(status).toBe(400)
  }
  expect(performance.now() - started).toBeLessThan(1_000)
})
