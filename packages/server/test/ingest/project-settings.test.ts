import { expect, test } from 'vitest'
import { IngestHarness, WRITE_KEY } from './ingest-harness.ts'

const get = { method: 'GET' } as const

test.each(['/v1/projects', '/projects'])(
  'the settings at %s name this server and no other integration',
  async (path) => {
    await using harness = await IngestHarness.open()
    const response = await harness.send(`${path}/${WRITE_KEY}/settings`, get)
    expect(response.status).toBe(200)
    expect(response.body['integrations']).toEqual({
      'Segment.io': {
        apiKey: WRITE_KEY,
        apiHost: `127.0.0.1:${harness.port}/v1`,
        protocol: 'http',
      },
    })
  },
)

test('the settings name the host and protocol that a trusted proxy reports', async () => {
  const forwarded = { 'x-forwarded-host': 'events.example', 'x-forwarded-proto': 'https' }
  const targetOf = async (trustedProxies: string) => {
    await using harness = await IngestHarness.open({ trustedProxies })
    const path = `/v1/projects/${WRITE_KEY}/settings`
    return (await harness.send(path, { ...get, headers: forwarded })).body['integrations']
  }
  expect(await targetOf('127.0.0.1/32')).toMatchObject({
    'Segment.io': { apiHost: 'events.example/v1', protocol: 'https' },
  })
  expect(await targetOf('')).toMatchObject({ 'Segment.io': { protocol: 'http' } })
})

test('the settings cannot be cached, because they contain the host that the client sent', async () => {
  await using harness = await IngestHarness.open()
  const { headers } = await harness.send(`/v1/projects/${WRITE_KEY}/settings`, get)
  expect(headers['cache-control']).toBe('no-store')
  expect(headers['vary']).toBe('Origin, Host, X-Forwarded-Host, X-Forwarded-Proto')
})

test.each(['a b', 'x/"><script>', 'evil.example/path#'])(
  'an invalid X-Forwarded-Host (%s) is refused, and not part of the settings',
  async (host) => {
    await using harness = await IngestHarness.open({ trustedProxies: '127.0.0.1/32' })
    const path = `/v1/projects/${WRITE_KEY}/settings`
    const response = await harness.send(path, { ...get, headers: { 'x-forwarded-host': host } })
    expect(response).toMatchObject({ status: 421, body: { code: 'wrong_host' } })
    expect(JSON.stringify(response.body)).not.toContain(host)
  },
)

test('the response for an unknown key is 404 with its code, and the key is logged', async () => {
  await using harness = await IngestHarness.open()
  const response = await harness.send('/v1/projects/wk_unknown/settings', get)
  expect(response).toMatchObject({
    status: 404,
    body: { success: false, code: 'unknown_write_key' },
  })
  const refused = harness.logLines.filter(({ msg }) => msg === 'write_key.rejected')
  expect(refused).toMatchObject([{ code: 'unknown_write_key', keyPrefix: 'wk_unk' }])
  // The request has no call, so none was refused.
  expect(await harness.metrics.registry.metrics()).not.toContain('reason="unknown_write_key"')
})
