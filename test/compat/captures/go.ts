import type { Sender, WireCapture } from './wire-capture.ts'

const libraryOf = (version: string): object => ({ library: { name: 'analytics-go', version } })

/** Basic authentication, and times without a colon in the offset. Versions 2 and 3 name the library only in the envelope. */
export function goCaptures(sender: Sender): readonly WireCapture[] {
  return [go1(sender), go2(sender), go3(sender)]
}

function headers({ authorization }: Sender, version: string): Record<string, string> {
  return {
    Authorization: authorization,
    'Content-Type': 'application/json',
    'User-Agent': `analytics-go (version: ${version})`,
  }
}

function go1(sender: Sender): WireCapture {
  const timestamp = '2026-11-20T22:25:14.000Z'
  return {
    client: 'analytics-go 1.2.0',
    path: '/v1/import',
    request: {
      headers: headers(sender, '1.2.0'),
      body: `{"batch":[{"context":{"library":{"name":"analytics-go","version":"1.2.0"}},"groupId":"g1","messageId":"go1-g","timestamp":"2026-11-20T23:25:14+0100","traits":{"employees":7},"type":"group","userId":"u1"},{"context":{"library":{"name":"analytics-go","version":"1.2.0"}},"messageId":"go1-p","name":"P","timestamp":"2026-11-20T23:25:14+0100","traits":{"url":"https://x.example/"},"type":"page","userId":"u1"}],"messageId":"envelope-1"}`,
    },
    payloads: {
      'go1-g': { type: 'group', groupId: 'g1', traits: { employees: 7 }, timestamp },
      'go1-p': { type: 'page', name: 'P', properties: { url: 'https://x.example/' }, timestamp },
    },
  }
}

function go2(sender: Sender): WireCapture {
  const sentAt = `${sender.now.slice(0, 19)}+0000`
  const context = libraryOf('2.1.0')
  const timestamp = '2026-11-20T22:25:14.000Z'
  return {
    client: 'analytics-go 2.1.1',
    path: '/v1/batch',
    request: {
      headers: headers(sender, '2.1.0'),
      body: `{"context":{"library":{"name":"analytics-go","version":"2.1.0"}},"batch":[{"traits":{"plan":"pro"},"userId":"u1","type":"identify","messageId":"go2-i","timestamp":"2026-11-20T23:25:14+0100"},{"properties":{"title":"X"},"name":"P","userId":"u1","type":"page","messageId":"go2-p","timestamp":"2026-11-20T23:25:14+0100"},{"previousId":"a0","userId":"u1","type":"alias","messageId":"go2-a","timestamp":"2026-11-20T23:25:14+0100"}],"messageId":"envelope-2","sentAt":"${sentAt}"}`,
    },
    payloads: {
      'go2-i': { type: 'identify', traits: { plan: 'pro' }, context, timestamp },
      'go2-p': { type: 'page', name: 'P', properties: { title: 'X' }, context, timestamp },
      'go2-a': { type: 'alias', 'Previous ID': 'a0', 'User ID': 'u1', context, timestamp },
    },
  }
}

function go3(sender: Sender): WireCapture {
  const sentAt = sender.now.replace('Z', '123456Z')
  return {
    client: 'analytics-go 3.3.0',
    path: '/v1/batch',
    request: {
      headers: headers(sender, '3.0.0'),
      body: `{"messageId":"envelope-3","sentAt":"${sentAt}","batch":[{"type":"track","messageId":"go3-t","userId":"u1","event":"E","timestamp":"2026-11-20T23:25:14.123456789+01:00","integrations":{"all":true}}],"context":{"library":{"name":"analytics-go","version":"3.0.0"}}}`,
    },
    payloads: {
      'go3-t': {
        type: 'track',
        event: 'E',
        context: libraryOf('3.0.0'),
        timestamp: '2026-11-20T22:25:14.123Z',
      },
    },
  }
}
