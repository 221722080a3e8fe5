import { gzipSync } from 'node:zlib'
import { expect } from 'vitest'
import type { ServerCertificate } from '../../../packages/server/test/harness/certificates.ts'
import type { ReceiverResponse } from '../../../packages/server/test/harness/receiver-response.ts'
import { PouringSpecimen } from './pouring-specimen.ts'
import { ReceiverSpecimen, type ReceiverSpecimenOptions } from './receiver-specimen.ts'
import type { Species, Zoo } from './specimen.ts'

type Expected = ReceiverSpecimenOptions['expected']

const DELIVERED: Expected = { outcome: 'delivered', class: 'delivered', status: 200 }
const TIMEOUT: Expected = { outcome: 'retry', class: 'timeout' }
// Who joins a look-up that another attempt has begun may see it fail before its own deadline.
const UNHEARD: Expected = {
  outcome: 'retry',
  class: expect.stringMatching(/^(timeout|dns_failed)$/),
}
const BROKEN: Expected = { outcome: 'retry', class: 'connection_failed' }
const FORBIDDEN: Expected = { outcome: 'rejected', class: 'address_forbidden' }
const BAD_CERTIFICATE: Expected = { outcome: 'rejected', class: 'certificate_invalid' }

const HOUR = 60 * 60 * 1000
// 16 MiB that arrive as 16 KiB: who unpacks them has a thousandfold to pay.
const BOMB = gzipSync(Buffer.alloc(16 * 2 ** 20))

const answering = (name: string, respond: ReceiverResponse, expected: Expected): Species => ({
  name,
  open: () => ReceiverSpecimen.open({ respond, expected }),
})

const withCertificate = (name: string, certificate: (zoo: Zoo) => ServerCertificate): Species => ({
  name,
  open: (zoo) =>
    ReceiverSpecimen.open({
      tls: certificate(zoo),
      expected: BAD_CERTIFICATE,
      isOffLimits: true,
    }),
})

/** The host of a URL replaced by a name that the zoo's name server answers for by its first label. */
const named =
  (label: string) =>
  (url: URL): string =>
    `http://${label}.example:${url.port}/hook`

export const SPECIES: readonly Species[] = [
  answering('headers that drip for ever', 'slow-headers', TIMEOUT),
  answering('a body that drips for ever', 'slow-body', DELIVERED),
  answering('a body without an end', 'endless-body', DELIVERED),
  { name: 'a body of 10 GB', open: () => PouringSpecimen.open() },
  answering(
    'a gzip bomb',
    { status: 200, headers: { 'Content-Encoding': 'gzip' }, body: BOMB },
    DELIVERED,
  ),
  answering('a reset', 'reset', BROKEN),
  answering('a half-closed connection', 'half-close', BROKEN),
  answering('a flood of 1xx', 'interim-flood', TIMEOUT),
  answering(
    'a redirect to itself',
    { status: 307, headers: { Location: '/elsewhere' } },
    { outcome: 'rejected', class: 'redirect', status: 307 },
  ),
  answering(
    'Retry-After in the year 9999',
    { status: 503, headers: { 'Retry-After': 'Fri, 31 Dec 9999 23:59:59 GMT' } },
    { outcome: 'retry', class: 'http_5xx', retryAfterMs: HOUR },
  ),
  answering(
    'headers of a megabyte',
    { bytes: `HTTP/1.1 200 OK\r\nX-Large: ${'x'.repeat(2 ** 20)}\r\n\r\n` },
    { outcome: 'retry', class: 'protocol_error' },
  ),
  withCertificate('a self-signed certificate', ({ certificates }) => certificates.selfSigned),
  withCertificate('an expired certificate', ({ certificates }) => certificates.expired),
  withCertificate('a certificate for another host', ({ certificates }) => certificates.wrongHost),
  {
    name: 'a name whose servers say nothing',
    open: () =>
      ReceiverSpecimen.open({ urlOf: named('silent'), expected: UNHEARD, isOffLimits: true }),
  },
  {
    name: 'a name with a private address',
    open: () =>
      ReceiverSpecimen.open({ urlOf: named('private'), expected: FORBIDDEN, isOffLimits: true }),
  },
  {
    name: 'a name with a good address and a private one',
    open: () =>
      ReceiverSpecimen.open({ urlOf: named('mixed'), expected: FORBIDDEN, isOffLimits: true }),
  },
]
