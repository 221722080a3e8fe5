import { errors } from 'undici'
import { describe, expect, test } from 'vitest'
import {
  AddressForbiddenError,
  DeadlineExceededError,
  NameUnresolvedError,
  PortForbiddenError,
  RequestRefusedError,
} from '../../../src/delivery/network/network-errors.ts'
import {
  classifyFailure,
  classifyResponse,
  describeFailure,
  describeResponse,
} from '../../../src/delivery/sending/outcome.ts'

const failure = (code: string, message = 'it failed') => Object.assign(new Error(message), { code })

describe('a response', () => {
  test.each([
    [[200, 201, 202, 204, 206, 299], 'delivered', 'delivered'],
    [[300, 301, 302, 303, 304, 307, 308, 399], 'rejected', 'redirect'],
    [[408, 425, 429], 'retry', 'http_throttled'],
    [[400, 401, 403, 404, 405, 409, 410, 413, 418, 422, 424, 426, 499], 'rejected', 'http_4xx'],
    [[500, 501, 502, 503, 504, 520, 599], 'retry', 'http_5xx'],
    [[0, 100, 101, 102, 199, 600, 799, 999], 'retry', 'protocol_error'],
  ] as const)(
    'with status %j has the outcome %s and the class %s',
    (statuses, outcome, attemptClass) => {
      for (const status of statuses) {
        expect(classifyResponse(status), `${status}`).toEqual({ outcome, class: attemptClass })
      }
    },
  )

  test('has an outcome for every status', () => {
    for (let status = 0; status < 1000; status += 1) {
      expect(classifyResponse(status).outcome).toMatch(/^(delivered|retry|rejected)$/)
    }
  })

  test('is described with its status, a redirect with its target', () => {
    expect(describeResponse(503)).toBe('The receiver responded with 503.')
    expect(describeResponse(302, 'https://elsewhere.example/')).toBe(
      'The receiver responded with 302, a redirect to https://elsewhere.example/. Redirects are not followed.',
    )
  })
})

describe('a failure', () => {
  test.each([
    [['ETIMEDOUT', 'UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_HEADERS_TIMEOUT'], 'retry', 'timeout'],
    [
      ['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'EHOSTUNREACH', 'ENETUNREACH', 'EPROTO', 'EMFILE'],
      'retry',
      'connection_failed',
    ],
    [
      ['ERR_SSL_WRONG_VERSION_NUMBER', 'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION', 'UND_ERR_SOCKET'],
      'retry',
      'connection_failed',
    ],
    [['ENOTFOUND', 'ESERVFAIL', 'ETIMEOUT', 'EAI_AGAIN', 'ENODATA'], 'retry', 'dns_failed'],
    [
      ['DEPTH_ZERO_SELF_SIGNED_CERT', 'SELF_SIGNED_CERT_IN_CHAIN', 'CERT_HAS_EXPIRED'],
      'retry',
      'certificate_invalid',
    ],
    [
      ['CERT_NOT_YET_VALID', 'ERR_TLS_CERT_ALTNAME_INVALID', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
      'retry',
      'certificate_invalid',
    ],
    [
      ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'CERT_CHAIN_TOO_LONG', 'CERT_REVOKED', 'INVALID_CA'],
      'retry',
      'certificate_invalid',
    ],
    [
      ['CERT_SIGNATURE_FAILURE', 'PATH_LENGTH_EXCEEDED', 'INVALID_PURPOSE', 'UNSPECIFIED'],
      'retry',
      'certificate_invalid',
    ],
    [
      ['UND_ERR_HEADERS_OVERFLOW', 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH'],
      'retry',
      'protocol_error',
    ],
  ] as const)('with %j has the outcome %s and the class %s', (codes, outcome, attemptClass) => {
    for (const code of codes) {
      expect(classifyFailure(failure(code)), code).toEqual({ outcome, class: attemptClass })
    }
  })

  test('caused by Hookline has its own class', () => {
    const forbidden = new AddressForbiddenError('a.example', '10.0.0.1', 'private')
    const port = new PortForbiddenError(5432, 'PostgreSQL')
    const refused = new RequestRefusedError('the static header "Expect"')
    const unresolved = new NameUnresolvedError('a.example', 'ENOTFOUND')
    expect(classifyFailure(forbidden)).toEqual({ outcome: 'retry', class: 'address_forbidden' })
    expect(classifyFailure(port)).toEqual({ outcome: 'retry', class: 'port_forbidden' })
    expect(classifyFailure(refused)).toEqual({ outcome: 'rejected', class: 'request_invalid' })
    expect(describeFailure(refused)).toBe('Hookline cannot send the static header "Expect".')
    expect(classifyFailure(unresolved)).toEqual({ outcome: 'retry', class: 'dns_failed' })
    expect(classifyFailure(new DeadlineExceededError(5000))).toEqual({
      outcome: 'retry',
      class: 'timeout',
    })
  })

  test('is found in the cause of an error, and in the errors for several addresses', () => {
    const caused = new Error('outer', { cause: failure('CERT_HAS_EXPIRED') })
    const tried = new AggregateError([failure('ENETUNREACH'), failure('ECONNREFUSED')])
    expect(classifyFailure(caused)?.class).toBe('certificate_invalid')
    expect(classifyFailure(tried)?.class).toBe('connection_failed')
  })

  test('by undici to parse a response is a protocol error, not a failed connection', () => {
    const bad = new errors.SocketError('bad upgrade')
    const closed = new errors.SocketError('other side closed')
    const garbled = new errors.HTTPParserError('Invalid header token')
    expect(classifyFailure(bad)?.class).toBe('protocol_error')
    expect(classifyFailure(garbled)?.class).toBe('protocol_error')
    expect(classifyFailure(closed)?.class).toBe('connection_failed')
  })

  test.each([
    new TypeError('not a function'),
    new errors.InvalidArgumentError('invalid header'),
    new errors.ClientDestroyedError(),
    failure('ERR_INVALID_ARG_TYPE'),
    'no error at all',
    undefined,
  ])('that is a bug has no classification: %s', (bug) => {
    expect(classifyFailure(bug)).toBeUndefined()
  })

  test.each([
    ['ECONNREFUSED', 'The connection was refused (ECONNREFUSED).'],
    ['UND_ERR_SOCKET', 'The connection was closed before the response (UND_ERR_SOCKET).'],
    ['CERT_HAS_EXPIRED', 'The certificate has expired (CERT_HAS_EXPIRED).'],
    ['CERT_CHAIN_TOO_LONG', 'The certificate is not valid (CERT_CHAIN_TOO_LONG).'],
    [
      'UND_ERR_REQ_CONTENT_LENGTH_MISMATCH',
      'Hookline cannot send the request (UND_ERR_REQ_CONTENT_LENGTH_MISMATCH).',
    ],
    ['ERR_SSL_NO_CIPHER_MATCH', 'The TLS handshake failed (ERR_SSL_NO_CIPHER_MATCH).'],
  ])('with %s is described as "%s", without the message of the error', (code, words) => {
    expect(describeFailure(failure(code, 'connect to https://a.example/?key=s3cret'))).toBe(words)
  })
})
