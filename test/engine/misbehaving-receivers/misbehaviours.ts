import { gzipSync } from 'node:zlib'
import { expect } from 'vitest'
import type { ServerCertificate } from '@hookline/testing/network/certificates'
import type { ReceiverResponse } from '@hookline/testing/receiver/receiver-response'
import { HugeBodyReceiver } from './huge-body-receiver.ts'
import { RecordingReceiver, type RecordingReceiverOptions } from './recording-receiver.ts'
import type { Misbehaviour, ReceiverContext } from './misbehaving-receiver.ts'

type Expected = RecordingReceiverOptions['expected']

const DELIVERED: Expected = { outcome: 'delivered', class: 'delivered', status: 200 }
const TIMEOUT: Expected = { outcome: 'retry', class: 'timeout' }
// An attempt that shares the lookup of an earlier attempt may fail with it, before its own deadline.
const NO_LOOKUP: Expected = {
  outcome: 'retry',
  class: expect.stringMatching(/^(timeout|dns_failed)$/),
}
const BROKEN: Expected = { outcome: 'retry', class: 'connection_failed' }
const FORBIDDEN: Expected = { outcome: 'retry', class: 'address_forbidden' }
const UNREADABLE: Expected = { outcome: 'retry', class: 'protocol_error' }
const BAD_CERTIFICATE: Expected = { outcome: 'retry', class: 'certificate_invalid' }

const HOUR = 60 * 60 * 1000
// 16 MiB, compressed to 16 KiB. Decompressing it needs a thousand times the memory.
const BOMB = gzipSync(Buffer.alloc(16 * 2 ** 20))

const responding = (name: string, respond: ReceiverResponse, expected: Expected): Misbehaviour => ({
  name,
  open: () => RecordingReceiver.open({ respond, expected }),
})

const withCertificate = (
  name: string,
  certificate: (context: ReceiverContext) => ServerCertificate,
): Misbehaviour => ({
  name,
  open: (context) =>
    RecordingReceiver.open({
      tls: certificate(context),
      expected: BAD_CERTIFICATE,
      mustGetNoRequest: true,
    }),
})

/** Replaces the host of a URL with a name whose first label selects the name server's misbehaviour. */
const named =
  (label: string) =>
  (url: URL): string =>
    `http://${label}.example:${url.port}/hook`

export const MISBEHAVIOURS: readonly Misbehaviour[] = [
  responding('headers that never end, sent slowly', 'slow-headers', TIMEOUT),
  responding('a body that never ends, sent slowly', 'slow-body', DELIVERED),
  responding('a body that never ends, sent fast', 'endless-body', DELIVERED),
  { name: 'a body of 10 GB', open: () => HugeBodyReceiver.open() },
  responding(
    'a gzip bomb',
    { status: 200, headers: { 'Content-Encoding': 'gzip' }, body: BOMB },
    DELIVERED,
  ),
  responding('a reset', 'reset', BROKEN),
  responding('a half-closed connection', 'half-close', BROKEN),
  responding('a flood of 1xx', 'interim-flood', TIMEOUT),
  responding(
    'a redirect to itself',
    { status: 307, headers: { Location: '/elsewhere' } },
    { outcome: 'rejected', class: 'redirect', status: 307 },
  ),
  responding(
    'Retry-After in the year 9999',
    { status: 503, headers: { 'Retry-After': 'Fri, 31 Dec 9999 23:59:59 GMT' } },
    { outcome: 'retry', class: 'http_5xx', retryAfterMs: HOUR },
  ),
  responding(
    'headers of a megabyte',
    { bytes: `HTTP/1.1 200 OK\r\nX-Large: ${'x'.repeat(2 ** 20)}\r\n\r\n` },
    DELIVERED,
  ),
  responding(
    'a status of 000',
    { bytes: 'HTTP/1.1 000 x\r\nContent-Length: 0\r\n\r\n' },
    UNREADABLE,
  ),
  responding('a status of 101 without an upgrade', { bytes: 'HTTP/1.1 101 x\r\n\r\n' }, UNREADABLE),
  responding('TLS on a plain port', { bytes: '\x16\x03\x03\0z\x02\0\0v\x03\x03' }, UNREADABLE),
  responding(
    'two lengths',
    { bytes: 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nok' },
    DELIVERED,
  ),
  responding(
    'a chunk without a size',
    { bytes: 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n' },
    DELIVERED,
  ),
  responding(
    'a thousand responses',
    { bytes: 'HTTP/1.1 503 x\r\nContent-Length: 2\r\n\r\nok'.repeat(1000) },
    { outcome: 'retry', class: 'http_5xx', status: 503 },
  ),
  withCertificate('a self-signed certificate', ({ certificates }) => certificates.selfSigned),
  withCertificate('an expired certificate', ({ certificates }) => certificates.expired),
  withCertificate(
    'a certificate for a different host',
    ({ certificates }) => certificates.wrongHost,
  ),
  {
    name: 'a name whose name servers do not respond',
    open: () =>
      RecordingReceiver.open({
        urlOf: named('silent'),
        expected: NO_LOOKUP,
        mustGetNoRequest: true,
      }),
  },
  {
    name: 'a name with a private address',
    open: () =>
      RecordingReceiver.open({
        urlOf: named('private'),
        expected: FORBIDDEN,
        mustGetNoRequest: true,
      }),
  },
  {
    name: 'a name with an allowed address and a private one',
    open: () =>
      RecordingReceiver.open({
        urlOf: named('mixed'),
        expected: FORBIDDEN,
        mustGetNoRequest: true,
      }),
  },
]
