import type { ClientCredentials } from '@hookline/protocol'
import { describe, expect, onTestFinished, test } from 'vitest'
import { AdjustableClock } from '@hookline/testing/clocks/adjustable-clock'
import { openSender, requestTo } from '@hookline/testing/engine/open-sender'
import {
  openReceiver,
  type Receiver,
  type ReceiverOptions,
} from '@hookline/testing/receiver/receiver'
import type { ReceiverResponse } from '@hookline/testing/receiver/receiver-response'
import { AttemptAbortedError } from '../../../src/delivery/network/network-errors.ts'

async function listening(respond: NonNullable<ReceiverOptions['respond']> = 200) {
  const receiver = await openReceiver({ respond })
  onTestFinished(() => receiver[Symbol.asyncDispose]())
  return receiver
}

/** The response with the token `t-1`, or the given fields. */
const token = (fields: object = {}): ReceiverResponse => ({
  body: JSON.stringify({ access_token: 't-1', token_type: 'Bearer', expires_in: 3600, ...fields }),
})

/** Responds with the tokens `t-1`, `t-2` and so on. */
const numbered = (fields: object = {}) =>
  listening((_request, index) => token({ access_token: `t-${index + 1}`, ...fields }))

/** Accepts requests with one of these tokens. */
const accepting = (...tokens: string[]) =>
  listening(({ headers }) => (tokens.includes(headers.authorization!.slice(7)) ? 200 : 401))

const authOf = (endpoint: Receiver, change: Partial<ClientCredentials> = {}) => ({
  auth: {
    oauth2: { tokenUrl: endpoint.url, clientId: 'the id', clientSecret: 'a secret/', ...change },
  },
})

const tokensOf = ({ requests }: Receiver) => requests.map(({ headers }) => headers.authorization)

test('an event is not sent if `onBegin` refuses it once the token has arrived', async () => {
  const [endpoint, receiver] = [await numbered(), await listening()]
  const request = requestTo(receiver.url, authOf(endpoint))
  const sending = openSender().send(request, { onBegin: () => false })
  await expect(sending).rejects.toThrow(AttemptAbortedError)
  expect(endpoint.requests).toHaveLength(1)
  expect(receiver.requests).toEqual([])
})

test('an attempt is retried later if the delivery changes during the request for another token', async () => {
  const [endpoint, receiver] = [await numbered(), await listening(401)]
  const request = requestTo(receiver.url, authOf(endpoint))
  let begun = 0
  const result = await openSender().send(request, { onBegin: () => begun++ === 0 })
  expect(result).toMatchObject({ outcome: 'retry', class: 'http_4xx', status: 401 })
  expect(receiver.requests).toHaveLength(1)
})

describe('a request for a token', () => {
  test('has the credentials in the header, and the other parameters in the body', async () => {
    const [endpoint, receiver] = [await numbered(), await listening()]
    const result = await openSender().send(
      requestTo(
        receiver.url,
        authOf(endpoint, { scope: 'hooks read', audience: 'https://api/', resource: 'urn:a' }),
      ),
    )
    expect(result.class).toBe('delivered')
    const [{ method, headers, body }] = endpoint.requests as [Receiver['requests'][number]]
    expect(method).toBe('POST')
    expect(headers['content-type']).toBe('application/x-www-form-urlencoded')
    expect(atob(headers.authorization!.slice(6))).toBe('the+id:a+secret%2F')
    expect(body.toString()).toBe(
      'grant_type=client_credentials&scope=hooks+read&audience=https%3A%2F%2Fapi%2F&resource=urn%3Aa',
    )
    expect(tokensOf(receiver)).toEqual(['Bearer t-1'])
  })

  test('has the credentials in the body if the endpoint refuses them in the header', async () => {
    const endpoint = await listening(({ headers }) =>
      headers.authorization === undefined
        ? token()
        : { status: 400, body: '{"error":"invalid_client"}' },
    )
    const receiver = await listening()
    await openSender().send(requestTo(receiver.url, authOf(endpoint)))
    expect(tokensOf(receiver)).toEqual(['Bearer t-1'])
    expect(endpoint.requests[1]!.body.toString()).toBe(
      'grant_type=client_credentials&client_id=the+id&client_secret=a+secret%2F',
    )
  })

  test('is shared by 100 attempts, even when the token must be renewed', async () => {
    const clock = new AdjustableClock()
    const endpoint = await numbered({ expires_in: 600 })
    const receiver = await listening()
    const sender = openSender({ clock, maxConnectionsPerWebhook: 100 })
    const request = requestTo(receiver.url, authOf(endpoint))
    const send100 = () => Promise.all(Array.from({ length: 100 }, () => sender.send(request)))
    await send100()
    expect(endpoint.requests).toHaveLength(1)
    clock.pass(500_000)
    await send100()
    expect(endpoint.requests).toHaveLength(1)
    clock.pass(40_000)
    await send100()
    expect(endpoint.requests).toHaveLength(2)
    expect(tokensOf(receiver).filter((each) => each === 'Bearer t-2')).toHaveLength(100)
  })

  test('is made again for changed credentials and for another webhook', async () => {
    const [endpoint, receiver] = [await numbered(), await listening()]
    const sender = openSender()
    await sender.send(requestTo(receiver.url, authOf(endpoint)))
    await sender.send(requestTo(receiver.url, authOf(endpoint, { clientSecret: 'changed' })))
    await sender.send(requestTo(`${receiver.url}/other`, authOf(endpoint)))
    expect(tokensOf(receiver)).toEqual(['Bearer t-1', 'Bearer t-2', 'Bearer t-3'])
  })
})

describe('a 401 from the receiver', () => {
  test('leads to one more request with a new token and the same webhook-id', async () => {
    const [endpoint, receiver] = [await numbered(), await accepting('t-2')]
    const result = await openSender().send(requestTo(receiver.url, authOf(endpoint)))
    expect(result).toMatchObject({ class: 'delivered', status: 200 })
    expect(tokensOf(receiver)).toEqual(['Bearer t-1', 'Bearer t-2'])
    const ids = receiver.requests.map(({ headers }) => headers['webhook-id'])
    expect(new Set(ids)).toEqual(new Set(['msg_01']))
  })

  test('to 100 attempts leads to one request for a token', async () => {
    const [endpoint, receiver] = [await numbered(), await accepting('t-2')]
    const sender = openSender({ maxConnectionsPerWebhook: 100 })
    const request = requestTo(receiver.url, authOf(endpoint))
    const results = await Promise.all(Array.from({ length: 100 }, () => sender.send(request)))
    expect(new Set(results.map((each) => each.class))).toEqual(new Set(['delivered']))
    expect(endpoint.requests).toHaveLength(2)
  })

  test('rejects the delivery if the new token is refused as well, and renews no token for 10 s', async () => {
    const clock = new AdjustableClock()
    const [endpoint, receiver] = [await numbered(), await accepting()]
    const sender = openSender({ clock })
    const request = requestTo(receiver.url, authOf(endpoint))
    for (let n = 0; n < 5; n++)
      expect(await sender.send(request)).toMatchObject({ class: 'http_4xx', status: 401 })
    expect([endpoint.requests.length, receiver.requests.length]).toEqual([2, 6])
    clock.pass(10_000)
    await sender.send(request)
    expect([endpoint.requests.length, receiver.requests.length]).toEqual([3, 8])
  })

  test('rejects the delivery immediately if the endpoint returns the same token, and requests no other token for 10 s', async () => {
    const [endpoint, receiver] = [await listening(() => token()), await accepting()]
    const sender = openSender()
    for (let n = 0; n < 5; n++)
      expect(await sender.send(requestTo(receiver.url, authOf(endpoint)))).toMatchObject({
        class: 'http_4xx',
        status: 401,
      })
    expect([endpoint.requests.length, receiver.requests.length]).toEqual([2, 5])
  })

  test('retries the delivery if the endpoint then fails', async () => {
    const endpoint = await listening((_request, index) => (index === 0 ? token() : 503))
    const receiver = await accepting()
    const result = await openSender().send(requestTo(receiver.url, authOf(endpoint)))
    expect(result).toMatchObject({ class: 'auth_failed', outcome: 'retry' })
  })
})

describe('expires_in', () => {
  test.for([0, -5, '0', -1e308])('of %s: the token is used once', async (expires_in) => {
    const [endpoint, receiver] = [await numbered({ expires_in }), await listening()]
    const sender = openSender()
    const request = requestTo(receiver.url, authOf(endpoint))
    for (let n = 0; n < 2; n++) expect((await sender.send(request)).class).toBe('delivered')
    expect(tokensOf(receiver)).toEqual(['Bearer t-1', 'Bearer t-2'])
  })

  test.for([
    [undefined, 3_540],
    [null, 3_540],
    ['soon', 3_540],
    [{}, 3_540],
    [60, 30],
    ['100', 50],
    [1e308, 86_340],
  ])('of %s: the token is used for %i seconds', async ([expires_in, seconds]) => {
    const clock = new AdjustableClock()
    const [endpoint, receiver] = [await numbered({ expires_in }), await listening()]
    const sender = openSender({ clock })
    const request = requestTo(receiver.url, authOf(endpoint))
    await sender.send(request)
    clock.pass(Number(seconds) * 1_000 - 10_000)
    await sender.send(request)
    clock.pass(10_000)
    await sender.send(request)
    expect(tokensOf(receiver)).toEqual(['Bearer t-1', 'Bearer t-1', 'Bearer t-2'])
  })
})

const html = { headers: { 'content-type': 'text/html' }, body: '<h1>Sign in</h1>' }
const refused = { error: 'invalid_client', error_description: 'Unknown client.' }
const NOT_JSON = 'responded with 200, but the body is not a JSON object of up to 8 KiB.'
const NO_BEARER = 'responded with 200, but not with a bearer token that can be sent in a header.'

describe('a token endpoint', () => {
  test.for<readonly [name: string, response: ReceiverResponse, error: string]>([
    ['a 503', 503, 'responded with 503.'],
    ['a 401', 401, 'responded with 401.'],
    [
      'an error',
      { status: 400, body: JSON.stringify(refused) },
      'responded with 400 (invalid_client: Unknown client.).',
    ],
    [
      'an error with a 200',
      { body: JSON.stringify(refused) },
      'responded with 200 (invalid_client: Unknown client.) without an access token.',
    ],
    [
      'a redirect',
      { status: 302, headers: { location: 'http://127.0.0.1:1/' } },
      'responded with 302.',
    ],
    ['a 204', 204, 'responded with 204.'],
    ['a 101', { bytes: 'HTTP/1.1 101 Switching Protocols\r\n\r\n' }, 'failed: '],
    ['HTML', html, NOT_JSON],
    ['nothing', 200, NOT_JSON],
    ['a list', { body: '[]' }, NOT_JSON],
    ['an empty object', { body: '{}' }, 'responded with 200 without an access token.'],
    ['a body of 9 KiB', token({ padding: 'x'.repeat(9 * 1024) }), NOT_JSON],
    ['a huge body', { body: ' '.repeat(1_000_000) }, NOT_JSON],
    ['an endless body', 'endless-body', NOT_JSON],
    ['a slow body', 'slow-body', NOT_JSON],
    ['a broken body', 'broken-body', NOT_JSON],
    ['silence', 'silence', 'failed: No response within 1500 ms.'],
    ['slow headers', 'slow-headers', 'failed: No response within 1500 ms.'],
    ['a closed connection', 'close', 'failed: The connection was closed'],
    ['garbage', { bytes: 'SSH-2.0-OpenSSH_9.6\r\n' }, 'failed: The response is not valid HTTP/1.1'],
    ['an empty token', token({ access_token: '' }), NO_BEARER],
    ['a number as token', token({ access_token: 7 }), NO_BEARER],
    ['line breaks in the token', token({ access_token: 'a\r\nX-Injected: 1' }), NO_BEARER],
    ['a token beyond ASCII', token({ access_token: 'tökén' }), NO_BEARER],
    ['another type of token', token({ token_type: 'DPoP' }), NO_BEARER],
    ['a number as type', token({ token_type: 1 }), NO_BEARER],
  ])('that returns %s fails the attempt', async ([, response, error]) => {
    const [endpoint, receiver] = [await listening(() => response), await listening()]
    const sender = openSender({ timeoutMs: 1500 })
    const result = await sender.send(requestTo(receiver.url, authOf(endpoint)))
    expect(result).toMatchObject({ class: 'auth_failed', outcome: 'retry', retryAfterMs: 5_000 })
    expect(result.error).toContain(`token endpoint ${error}`)
    expect(Object.keys(result).toSorted()).toEqual([
      'class',
      'durationMs',
      'error',
      'outcome',
      'retryAfterMs',
      'startedAt',
      'timing',
    ])
    expect(receiver.connections).toBe(0)
    expect(endpoint.requests.length).toBeLessThanOrEqual(2)
  })

  test('that repeats secrets does not reveal them in the error', async () => {
    const endpoint = await listening(({ headers, body }) => ({
      status: 400,
      body: JSON.stringify({
        error: 'a secret/ \u001b[31m',
        error_description: `${headers.authorization} ${body.toString()} an-access-token ${'x'.repeat(1000)}`,
        access_token: 'an-access-token',
      }),
    }))
    const result = await openSender().send(requestTo('http://127.0.0.1:9/', authOf(endpoint)))
    expect(result.error).toMatch(/^The token endpoint responded with 400 \(\*+ \[31m: Basic \*+ /)
    expect(result.error).not.toMatch(/an-access-token|a secret|a\+secret/)
    expect(result.error).not.toContain('\u001b')
    expect(result.error!.length).toBeLessThan(400)
  })

  test('that sends Retry-After delays the next attempt by that time', async () => {
    const endpoint = await listening({ status: 429, headers: { 'retry-after': '120' } })
    const result = await openSender().send(requestTo('http://127.0.0.1:9/', authOf(endpoint)))
    expect(result).toMatchObject({ class: 'auth_failed', retryAfterMs: 120_000 })
  })

  test('gets no connection at a forbidden address or port', async () => {
    const [endpoint, receiver] = [await numbered(), await listening()]
    const request = requestTo(receiver.url, authOf(endpoint))
    const sender = openSender({ allowedNetworks: ['127.0.0.2/32'] })
    const result = await sender.send(request)
    expect(result).toMatchObject({ class: 'auth_failed', outcome: 'retry' })
    expect(result.error).toContain('The address 127.0.0.1 is')
    expect(endpoint.connections).toBe(0)
    const port = { tokenUrl: 'http://127.0.0.1:22/token' }
    const atPort = await openSender().send(requestTo(receiver.url, authOf(endpoint, port)))
    expect(atPort.error).toContain('Port 22 is reserved')
  })

  test('that does not respond does not delay the shutdown of the service', async () => {
    const endpoint = await listening(() => 'silence')
    const sender = openSender()
    const sent = sender.send(requestTo('http://127.0.0.1:9/', authOf(endpoint)))
    await endpoint.waitFor(1)
    sender.abort()
    await expect(sent).rejects.toMatchObject({ name: 'AttemptAbortedError' })
  })
})

test('a receiver that repeats the token does not reveal it in the response record', async () => {
  const endpoint = await listening(() => token({ access_token: 'an-access-token' }))
  const receiver = await listening(({ headers }) => ({
    status: 500,
    headers: { server: headers.authorization! },
    body: headers.authorization!.slice(7),
  }))
  const result = await openSender().send(requestTo(receiver.url, authOf(endpoint)))
  expect(result).toMatchObject({ class: 'http_5xx', body: '*'.repeat(15) })
  expect(JSON.stringify(result)).not.toContain('an-access-token')
})
