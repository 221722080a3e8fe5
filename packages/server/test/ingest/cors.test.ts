import { expect, test } from 'vitest'
import { IngestHarness } from './ingest-harness.ts'

const origin = 'https://shop.example'

test.each(['/v1/t', '/v1/batch', '/v1/m', '/v1/projects/wk/settings'])(
  'the response to a preflight for %s allows everything the browser requests',
  async (path) => {
    await using harness = await IngestHarness.open()
    const { status, headers, body } = await harness.send(path, {
      method: 'OPTIONS',
      headers: {
        origin,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization,x-retry-count',
      },
    })
    expect([status, body]).toEqual([200, { success: true }])
    expect(headers).toMatchObject({
      'access-control-allow-origin': origin,
      'access-control-allow-methods': 'GET,POST,OPTIONS',
      'access-control-allow-headers': 'authorization,x-retry-count',
      'access-control-expose-headers': 'Retry-After',
      'access-control-max-age': '86400',
      vary: 'Origin',
    })
  },
)

test('the requesting page may read the response, even if it is an error', async () => {
  await using harness = await IngestHarness.open()
  const { status, headers } = await harness.send('/v1/t', { headers: { origin }, body: '{' })
  expect(status).toBe(400)
  expect(headers).toMatchObject({
    'access-control-allow-origin': origin,
    'access-control-expose-headers': 'Retry-After',
    vary: 'Origin',
  })
  expect(headers).not.toHaveProperty('access-control-allow-methods')
})

test('other paths do not allow pages of other sites', async () => {
  await using harness = await IngestHarness.open()
  const { status, headers } = await harness.send('/nowhere', { headers: { origin } })
  expect(status).toBe(404)
  expect(headers).not.toHaveProperty('access-control-allow-origin')
})
