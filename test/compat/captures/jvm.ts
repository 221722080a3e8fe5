import { gzipSync } from 'node:zlib'
import type { Sender, WireCapture } from './wire-capture.ts'

/** Java ends its path with a slash. Kotlin sends text/plain, always compressed and chunked. */
export function jvmCaptures(sender: Sender): readonly WireCapture[] {
  return [java(sender), kotlin(sender)]
}

function java({ authorization, writeKey, now }: Sender): WireCapture {
  const library = { name: 'analytics-java', version: '3.5.1' }
  return {
    client: 'analytics-java',
    path: '/v1/import/',
    request: {
      headers: {
        Authorization: authorization,
        'Content-Type': 'application/json',
        'User-Agent': 'analytics-java/3.5.1',
      },
      body: `{"batch":[{"type":"alias","messageId":"java","previousId":"a0","userId":"u1","timestamp":"2026-11-20T23:25:14.123Z"}],"sentAt":"${now}","context":{"library":{"name":"analytics-java","version":"3.5.1"},"instanceId":"i1"},"sequence":1,"writeKey":"${writeKey}"}`,
    },
    payloads: {
      java: {
        type: 'alias',
        'Previous ID': 'a0',
        'User ID': 'u1',
        context: { library, instanceId: 'i1' },
        timestamp: '2026-11-20T23:25:14.123Z',
      },
    },
  }
}

function kotlin({ writeKey, now }: Sender): WireCapture {
  return {
    client: 'analytics-kotlin',
    path: '/v1/b',
    request: {
      headers: { 'Content-Type': 'text/plain', 'Content-Encoding': 'gzip' },
      body: gzipSync(
        `{"batch":[{"type":"screen","messageId":"kt","anonymousId":"a1","userId":"","name":"Home","category":"","properties":{},"context":{"device":{"model":"Pixel"}},"integrations":{},"timestamp":"2026-11-20T23:25:14.123Z"}],"sentAt":"${now}","writeKey":"${writeKey}"}`,
      ),
      isChunked: true,
    },
    payloads: {
      kt: {
        type: 'screen',
        anonymousId: 'a1',
        name: 'Home',
        context: { device: { model: 'Pixel' } },
      },
    },
  }
}
