import type { Sender, WireCapture } from './wire-capture.ts'

const ORIGIN = { Origin: 'https://shop.example' }
const PREFLIGHT = {
  ...ORIGIN,
  'Access-Control-Request-Method': 'POST',
  'Access-Control-Request-Headers': 'authorization,x-retry-count',
}
const library = { name: 'analytics.js', version: 'npm:next-1.84.1' }
/** Fields of each call as it arrives. The service adds the `ip`. */
const ARRIVES = { anonymousId: 'a1', context: { library, ip: '127.0.0.1' } }

/**
 * The library sends text/plain from another origin. Since version 1.84, it sends Authorization,
 * which needs a preflight request.
 */
export function browserCaptures(sender: Sender): readonly WireCapture[] {
  const { authorization, writeKey, now } = sender
  const plain = { ...ORIGIN, 'Content-Type': 'text/plain' }
  return [
    {
      client: 'analytics-next 1.84.1',
      path: '/v1/t',
      preflight: PREFLIGHT,
      request: {
        headers: { ...plain, Authorization: authorization },
        body: callOf(sender, '"type":"track","event":"E","properties":{},"messageId":"ajs"'),
      },
      payloads: { ajs: { type: 'track', event: 'E', ...ARRIVES } },
    },
    {
      client: 'analytics-next before 1.84',
      path: '/v1/p',
      request: {
        headers: plain,
        body: callOf(sender, '"type":"page","name":"P","properties":{},"messageId":"ajs-old"'),
      },
      payloads: { 'ajs-old': { type: 'page', name: 'P', ...ARRIVES } },
    },
    {
      client: 'analytics-next 1.84.1 with batching',
      path: '/v1/b',
      preflight: PREFLIGHT,
      request: {
        headers: { ...plain, Authorization: authorization },
        body: `{"writeKey":"${writeKey}","batch":[${callOf(sender, '"type":"track","event":"E","messageId":"ajs-b"')}],"sentAt":"${now}"}`,
      },
      payloads: { 'ajs-b': { type: 'track', event: 'E', ...ARRIVES } },
    },
  ]
}

function callOf({ writeKey, now }: Sender, members: string): string {
  return `{"timestamp":"${now}","integrations":{"Segment.io":true},"context":{"library":{"name":"analytics.js","version":"npm:next-1.84.1"}},"userId":null,"anonymousId":"a1","writeKey":"${writeKey}","sentAt":"${now}","_metadata":{"bundled":[],"unbundled":[],"bundledIds":[]},${members}}`
}
