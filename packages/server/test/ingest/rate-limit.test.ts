import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { IngestHarness, WRITE_KEY } from './ingest-harness.ts'

const track = { type: 'track', userId: 'u1', event: 'Signed Up', messageId: 'm1' }

test('a request over the rate limit of its source gets a Retry-After in whole seconds', async () => {
  await using harness = await IngestHarness.open({}, { rateLimit: 2 })
  expect(await harness.post('/v1/batch', { batch: [track, track, track] })).toMatchObject({
    status: 200,
  })
  const refused = await harness.post('/v1/track', track)
  expect(refused).toMatchObject({ status: 429, body: { success: false, code: 'rate_limited' } })
  expect(refused.headers['retry-after']).toBe('1')
  harness.clock.advance(1_000)
  expect(await harness.post('/v1/track', track)).toMatchObject({ status: 200 })
  expect(await harness.stored()).toHaveLength(4)
})

test('a request for a source at its rate limit is refused before parsing, wherever its key is', async () => {
  await using harness = await IngestHarness.open({}, { rateLimit: 1 })
  const large = `{"batch":[],"writeKey":"${WRITE_KEY}","filler":"${'x'.repeat(20_000)}"`
  const limited = { status: 429, body: { success: false, code: 'rate_limited' } }
  expect(await harness.post('/v1/track', track)).toMatchObject({ status: 200 })
  expect(await harness.post('/v1/track', 'not JSON')).toMatchObject(limited)
  expect(await harness.send('/v1/batch', { body: large })).toMatchObject(limited)
  const encoded = { headers: { 'content-encoding': 'gzip' }, body: gzipSync(large) }
  expect(await harness.send('/v1/batch', encoded)).toMatchObject(limited)
  harness.clock.advance(2_000)
  const invalid = { status: 400, body: { success: false, code: 'invalid_json' } }
  expect(await harness.post('/v1/track', 'not JSON')).toMatchObject(invalid)
  expect(await harness.send('/v1/batch', { body: large })).toMatchObject(invalid)
})
