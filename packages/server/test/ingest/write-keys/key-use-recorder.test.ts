import { expect, test } from 'vitest'
import { IngestHarness, WRITE_KEY } from '../ingest-harness.ts'

const call = { type: 'track', event: 'Sign up', userId: 'u1' }

test('the use of a write key is recorded once a minute, wherever the key is in the request', async () => {
  await using harness = await IngestHarness.open()
  const { backend, clock } = harness
  expect(backend.keyUses.lastUsedAt(WRITE_KEY)).toBeUndefined()
  const first = clock.now()
  await harness.send('/v1/track', { body: { ...call, writeKey: WRITE_KEY } })
  expect(backend.keyUses.lastUsedAt(WRITE_KEY)).toBe(first)
  clock.advance(59_999)
  await harness.post('/v1/track', call)
  expect(backend.keyUses.lastUsedAt(WRITE_KEY)).toBe(first)
  clock.advance(1)
  await harness.post('/v1/track', call)
  expect(backend.keyUses.lastUsedAt(WRITE_KEY)).toBe(first + 60_000)
})

test('the use of a refused key is not recorded', async () => {
  await using harness = await IngestHarness.open()
  await harness.send('/v1/track', { body: { ...call, writeKey: 'wk_none' }, headers: {} })
  expect(harness.backend.keyUses.lastUsedAt('wk_none')).toBeUndefined()
})
