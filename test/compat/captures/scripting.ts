import { gzipSync } from 'node:zlib'
import type { Sender, WireCapture } from './wire-capture.ts'

const JSON_TYPE = { 'Content-Type': 'application/json' }

/** Python sends nulls, and its key only in the body. Ruby posts to /v1/import. PHP may compress. */
export function scriptingCaptures(sender: Sender): readonly WireCapture[] {
  return [python(sender), compressedPython(sender), ruby(sender), php(sender)]
}

function python({ writeKey, now }: Sender): WireCapture {
  const sentAt = now.replace('Z', '456+00:00')
  return {
    client: 'analytics-python 2.3.4',
    path: '/v1/batch',
    request: {
      headers: { ...JSON_TYPE, 'User-Agent': 'analytics-python/2.3.4' },
      body: `{"batch": [{"integrations": {}, "anonymousId": null, "properties": {"price": 1.5, "coupon": null}, "timestamp": "2026-11-20T23:25:14.123456+00:00", "context": {"library": {"name": "analytics-python", "version": "2.3.4"}}, "userId": "u1", "type": "track", "event": "E", "messageId": "py"}], "sentAt": "${sentAt}", "writeKey": "${writeKey}"}`,
    },
    payloads: {
      py: {
        type: 'track',
        userId: 'u1',
        properties: { price: 1.5, coupon: null },
        timestamp: '2026-11-20T23:25:14.123Z',
      },
    },
  }
}

function compressedPython(sender: Sender): WireCapture {
  const { request, ...capture } = python(sender)
  return {
    ...capture,
    client: 'analytics-python 2.3.4 with gzip',
    request: {
      headers: { ...request.headers, 'Content-Encoding': 'gzip' },
      body: gzipSync(request.body!),
    },
  }
}

function ruby({ authorization, now }: Sender): WireCapture {
  return {
    client: 'analytics-ruby 2.5.0',
    path: '/v1/import',
    request: {
      headers: {
        ...JSON_TYPE,
        Authorization: authorization,
        'User-Agent': 'analytics-ruby/2.5.0',
      },
      body: `{"sentAt":"${now}","batch":[{"context":{"library":{"name":"analytics-ruby","version":"2.5.0"}},"integrations":null,"messageId":"rb","timestamp":"2026-11-20T23:25:14.123+00:00","type":"screen","name":"Home","properties":{},"userId":"u1"}]}`,
    },
    payloads: {
      rb: { type: 'screen', name: 'Home', properties: {}, timestamp: '2026-11-20T23:25:14.123Z' },
    },
  }
}

function php({ authorization, now }: Sender): WireCapture {
  return {
    client: 'analytics-php with compression',
    path: '/v1/batch',
    request: {
      headers: { ...JSON_TYPE, Authorization: authorization, 'Content-Encoding': 'gzip' },
      body: gzipSync(
        `{"batch":[{"type":"identify","messageId":"php","userId":"u1","traits":{"plan":"pro"},"timestamp":"2026-11-20T23:25:14+00:00","context":{"library":{"name":"analytics-php","version":"3.8.0"}}}],"sentAt":"${now}"}`,
      ),
    },
    payloads: {
      php: { type: 'identify', traits: { plan: 'pro' }, timestamp: '2026-11-20T23:25:14.000Z' },
    },
  }
}
