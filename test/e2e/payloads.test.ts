import { describe, expect, test } from 'vitest'
import { openReceiver } from '@hookline/testing/receiver/receiver'
import { isSignedWith } from '@hookline/testing/receiver/is-signed-with'
import { startService } from '@hookline/testing/service/running-service'

const context = { ip: '203.0.113.9', library: { name: 'curl', version: '8' } }
const timestamp = '2026-01-15T12:00:00.123Z'
const ids = { messageId: 'm-1', anonymousId: 'a1', userId: 'u1' }
const END = `"context":{"ip":"203.0.113.9","library":{"name":"curl","version":"8"}},"timestamp":"2026-01-15T12:00:00.123Z"}`

/** The type, the fields sent besides the common ones, and the bytes that arrive. */
const GOLDEN: readonly (readonly [string, object, string])[] = [
  [
    'track',
    { ...ids, event: 'Order Completed', properties: { revenue: 39.95, coupon: 'été' } },
    `{"version":1,"type":"track","messageId":"m-1","anonymousId":"a1","userId":"u1","event":"Order Completed","properties":{"revenue":39.95,"coupon":"été"},${END}`,
  ],
  [
    'alias',
    { messageId: 'm-1', userId: 'u1', previousId: 'a0' },
    `{"version":1,"type":"alias","messageId":"m-1","Previous ID":"a0","User ID":"u1",${END}`,
  ],
]

describe.concurrent('the payload that arrives', () => {
  test.for(GOLDEN)(
    'of %s has exactly the expected bytes, and is signed',
    async ([type, call, bytes]) => {
      await using receiver = await openReceiver()
      await using service = await startService()
      const destination = await service.createDestination({ urls: [receiver.url], secret: 'shh!' })
      const inner = {
        integrations: { All: true },
        writeKey: service.source.writeKey,
        _metadata: {},
      }
      const response = await service.send(`/v1/${type}`, { ...call, ...inner, context, timestamp })
      expect(response).toMatchObject({ status: 200, text: '{"success":true}' })

      const [request] = await receiver.waitFor(1)
      expect(request!.body.toString('utf8')).toBe(bytes)
      expect(isSignedWith('shh!', request!)).toBe(true)
      expect(isSignedWith('another', request!)).toBe(false)

      const trace = await service.endOf('m-1')
      expect(trace.event).toMatchObject({ type, ...call, context, timestamp })
      expect(trace.event).not.toHaveProperty('writeKey')
      expect(trace.decisions).toMatchObject([{ destinationId: destination, decision: 'deliver' }])
      expect(trace.deliveries).toMatchObject([
        { id: request!.headers['webhook-id'], state: 'delivered', attemptCount: 1 },
      ])
    },
  )
})

describe.concurrent('the request that arrives', () => {
  test('is a POST to the URL as configured, with the documented headers', async () => {
    await using receiver = await openReceiver()
    await using service = await startService()
    const url = `${receiver.url}/a%20b?key=v&empty=`
    await service.createDestination({ urls: [url] })
    await service.track('m-1')
    const [request] = await receiver.waitFor(1)
    expect(request).toMatchObject({ method: 'POST', path: '/hook/a%20b?key=v&empty=' })
    expect(request!.headers).toMatchObject({
      'user-agent': 'Hookline/1.0',
      'content-type': 'application/json',
      'webhook-id': expect.stringMatching(/^msg_/),
      'webhook-timestamp': expect.stringMatching(/^\d+$/),
      'x-hookline-attempt': '1',
    })
  })

  test('has no signature without a shared secret', async () => {
    await using receiver = await openReceiver()
    await using service = await startService()
    await service.createDestination({ urls: [receiver.url] })
    await service.track('m-1')
    const [request] = await receiver.waitFor(1)
    expect(Object.keys(request!.headers)).not.toContain('x-signature')
    expect(Object.keys(request!.headers)).not.toContain('webhook-signature')
  })

  test('has a signature that can be verified after parsing and serialising, even with unusual JSON', async () => {
    await using receiver = await openReceiver()
    await using service = await startService()
    await service.createDestination({ urls: [receiver.url], secret: 'ключ' })
    const odd = String.raw`{"messageId":"m-1","userId":"u1","event":"E","properties":{"b":1.0,"10":1,"2":1e21,"a":-0,"e":"\u00e9","s":"\ud800","l":"\u2028","__proto__":{"x":1},"d":1,"d":2}}`
    expect(await service.send('/v1/track', odd)).toMatchObject({ status: 200 })
    const [request] = await receiver.waitFor(1)
    expect(isSignedWith('ключ', request!)).toBe(true)
    const text = request!.body.toString('utf8')
    expect(text).toBe(JSON.stringify(JSON.parse(text)))
    expect(text).toContain('"__proto__":{"x":1}')
  })
})
