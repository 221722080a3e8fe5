import { describe, expect, test } from 'vitest'
import { openReceiver } from '../../packages/server/test/harness/receiver.ts'
import { exchange } from '../harness/http-exchange.ts'
import { isSignedWith } from '../harness/is-signed-with.ts'
import { startService } from '../harness/running-service.ts'
import type { WireCapture } from './captures/wire-capture.ts'
import { wireCaptures } from './captures/wire-captures.ts'

const NAMES = wireCaptures('').map(({ client }) => client)

const captureOf = (client: string, writeKey: string): WireCapture =>
  wireCaptures(writeKey).find((capture) => capture.client === client)!

describe.concurrent('a request as it is sent by', () => {
  test.for(NAMES)('%s is answered as it understands, and what it carries arrives', async (name) => {
    await using receiver = await openReceiver()
    await using service = await startService()
    await service.createDestination({ urls: [receiver.url], secret: 's' })
    const { path, request, payloads } = captureOf(name, service.source.writeKey)

    const answer = await exchange(service.url + path, request)
    expect(answer).toMatchObject({ status: 200, text: '{"success":true}' })
    expect(answer.headers['content-type']).toMatch(/^application\/json/)

    for (const messageId of Object.keys(payloads)) {
      expect((await service.endOf(messageId)).deliveries).toMatchObject([{ state: 'delivered' }])
    }
    const arrived = receiver.requests.map(({ body }) => JSON.parse(body.toString()) as Arrived)
    expect(arrived).toHaveLength(Object.keys(payloads).length)
    for (const payload of arrived) {
      expect(payload).toMatchObject({ version: 1, ...payloads[payload.messageId] })
      expect(JSON.stringify(payload)).not.toContain(service.source.writeKey)
      expect(payload).not.toHaveProperty('_metadata')
    }
    expect(receiver.requests.every((each) => isSignedWith('s', each))).toBe(true)
  })

  test.for(NAMES)('%s with an unknown key is answered 401 with all that it reads', async (name) => {
    await using service = await startService()
    const { path, request } = captureOf(name, 'wk_unknown')
    const { status, text } = await exchange(service.url + path, request)
    expect(status).toBe(401)
    expect(JSON.parse(text)).toEqual({
      success: false,
      code: 'unknown_write_key',
      message: expect.any(String),
      error: expect.stringMatching(/^unknown_write_key: /),
    })
  })
})

interface Arrived {
  readonly messageId: string
}

test('what a browser asks before is allowed, and the answer may be read', async () => {
  await using service = await startService()
  const captures = wireCaptures(service.source.writeKey)
  const asked = captures.filter(({ preflight }) => preflight !== undefined)
  expect(asked.length).toBeGreaterThan(0)
  for (const { path, preflight, request } of asked) {
    const allowed = await exchange(service.url + path, { method: 'OPTIONS', headers: preflight! })
    expect(allowed).toMatchObject({
      status: 200,
      headers: {
        'access-control-allow-origin': 'https://shop.example',
        'access-control-allow-headers': 'authorization,x-retry-count',
        'access-control-allow-methods': 'GET,POST,OPTIONS',
        'access-control-max-age': '86400',
        vary: 'Origin',
      },
    })
    expect((await exchange(service.url + path, request)).headers).toMatchObject({
      'access-control-allow-origin': 'https://shop.example',
      'access-control-expose-headers': 'Retry-After',
    })
  }
})
