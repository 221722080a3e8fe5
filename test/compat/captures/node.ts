import { gzipSync } from 'node:zlib'
import type { Sender, WireCapture } from './wire-capture.ts'

/** The older library for Node, and a fork that declares its compressed JSON as form data. */
export function nodeCaptures({ authorization, now }: Sender): readonly WireCapture[] {
  const timestamp = '2026-11-20T23:25:14.123Z'
  return [
    {
      client: 'analytics-node 6.2.0',
      path: '/v1/batch',
      request: {
        headers: {
          Authorization: authorization,
          'Content-Type': 'application/json',
          'user-agent': 'analytics-node/6.2.0',
        },
        body: `{"batch":[{"userId":"42","event":"E","context":{"library":{"name":"analytics-node","version":"6.2.0"}},"type":"track","_metadata":{"nodeVersion":"20.1.0"},"timestamp":"${timestamp}","messageId":"node-6"}],"timestamp":"${now}","sentAt":"${now}"}`,
      },
      payloads: { 'node-6': { type: 'track', userId: '42', event: 'E', timestamp } },
    },
    {
      client: 'rudder-sdk-node 3.0.13',
      path: '/v1/batch',
      request: {
        headers: {
          Authorization: authorization,
          'Content-Type': 'application/x-www-form-urlencoded',
          'Content-Encoding': 'gzip',
        },
        body: gzipSync(
          `{"batch":[{"userId":"u1","traits":{"plan":"pro"},"context":{"traits":{"plan":"pro"},"library":{"name":"analytics-node","version":"3.0.13"}},"type":"identify","channel":"server","_metadata":{"nodeVersion":"20.1.0"},"originalTimestamp":"${timestamp}","sentAt":"${now}","messageId":"rudder"}],"timestamp":"${now}","sentAt":"${now}"}`,
        ),
      },
      payloads: {
        rudder: { type: 'identify', userId: 'u1', traits: { plan: 'pro' }, timestamp },
      },
    },
  ]
}
