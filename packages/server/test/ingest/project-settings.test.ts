import { expect, test } from 'vitest'
import { IngestHarness, WRITE_KEY } from './ingest-harness.ts'

const get = { method: 'GET' } as const

test.each(['/v1/projects', '/projects'])(
  'settings at %s send the client to this server, and to nothing else',
  async (path) => {
    await using harness = await IngestHarness.open()
    const answer = await harness.send(`${path}/${WRITE_KEY}/settings`, get)
    expect(answer.status).toBe(200)
    expect(answer.body['integrations']).toEqual({
      'Segment.io': {
        apiKey: WRITE_KEY,
        apiHost: `127.0.0.1:${harness.port}/v1`,
        protocol: 'http',
      },
    })
  },
)

test('settings name the host and protocol that a trusted proxy tells', async () => {
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

test('settings of an unknown key are 404', async () => {
  await using harness = await IngestHarness.open()
  expect(await harness.send('/v1/projects/wk_unknown/settings', get)).toMatchObject({
    status: 404,
    body: { success: false, code: 'not_found' },
  })
})
