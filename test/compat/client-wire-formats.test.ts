import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openReceiver } from '@hookline/testing/receiver/receiver'
import { exchange } from '@hookline/testing/network/http-exchange'
import { isSignedWith } from '@hookline/testing/receiver/is-signed-with'
import { type RunningService, startService } from '@hookline/testing/service/running-service'
import { browserCaptures } from './captures/browser.ts'
import { goCaptures } from './captures/go.ts'
import { jvmCaptures } from './captures/jvm.ts'
import { nodeCaptures } from './captures/node.ts'
import { scriptingCaptures } from './captures/scripting.ts'
import type { WireCapture } from './captures/wire-capture.ts'

/** A request from each client library as sent on the wire, with this write key and the current time. */
function wireCaptures(writeKey: string): readonly WireCapture[] {
  const authorization = `Basic ${Buffer.from(`${writeKey}:`).toString('base64')}`
  const sender = { writeKey, authorization, now: new Date().toISOString() }
  return [
    ...goCaptures(sender),
    ...scriptingCaptures(sender),
    ...jvmCaptures(sender),
    ...browserCaptures(sender),
    ...nodeCaptures(sender),
  ]
}

const NAMES = wireCaptures('').map(({ client }) => client)

const captureOf = (client: string, writeKey: string): WireCapture =>
  wireCaptures(writeKey).find((capture) => capture.client === client)!

describe.concurrent('a request from', () => {
  test.for(NAMES)(
    '%s gets a response that the library accepts, and its calls arrive',
    async (name) => {
      await using receiver = await openReceiver()
      await using service = await startService()
      await service.createDestination({ urls: [receiver.url], secret: 's' })
      const { path, request, payloads } = captureOf(name, service.source.writeKey)

      const response = await exchange(service.url + path, request)
      expect(response).toMatchObject({ status: 200, text: '{"success":true}' })
      expect(response.headers['content-type']).toMatch(/^application\/json/)

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
    },
  )
})

describe('a request with an unknown key', () => {
  let service: RunningService
  beforeAll(async () => {
    service = await startService()
  })
  afterAll(() => service[Symbol.asyncDispose]())

  test.for(NAMES)('from %s gets a 401 with every field that libraries read', async (name) => {
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

test("a browser's preflight request is allowed, and the browser may read the response", async () => {
  await using service = await startService()
  const captures = wireCaptures(service.source.writeKey)
  const withPreflight = captures.filter(({ preflight }) => preflight !== undefined)
  expect(withPreflight.length).toBeGreaterThan(0)
  for (const { path, preflight, request } of withPreflight) {
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
