import fc from 'fast-check'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { BothWays, receivedBytes } from './both-ways.ts'

let ways: BothWays

beforeEach(async () => {
  ways = await BothWays.open({ requestTimeoutMs: '1s' })
})
afterEach(() => ways[Symbol.asyncDispose]())

const path = fc.constantFrom(
  '/echo',
  '/nowhere',
  '/echo?a=%20b',
  '/%E0%A4%A',
  '*',
  'http://test/echo',
  '/echo/',
  '//echo',
  '/\u00e9cho',
  '/cut',
)
const method = fc.constantFrom(
  'GET',
  'POST',
  'HEAD',
  'OPTIONS',
  'PUT',
  'DELETE',
  'PROPFIND',
  'CONNECT',
  'get',
  'BREW',
)
const version = fc.constantFrom('1.1', '1.1', '1.1', '1.1', '1.0', '2.0', '0.9', '3')
const header = fc.constantFrom(
  'Host: test',
  'HOST:   b  ',
  'Accept:\t*/*\t',
  'Cookie: a=1',
  'cookie: b=2',
  'X-Empty:',
  'X-High: \u00e9\u00ff',
  'X-Forwarded-For: 1.2.3.4',
  'Expect: 100-continue',
  'Expect: the-unexpected',
  'Upgrade: websocket',
  'Connection: Upgrade',
  'Connection: keep-alive',
  'Connection: close',
  'Content-Type: application/json',
  'Content-Type: text/plain',
  'Bad Name: 1',
  'X-Fold: a\r\n b',
  'Content-Length: 4',
  'Content-Length: 4',
  'Content-Length: 2',
  'Transfer-Encoding: chunked',
  ': none',
  'Transfer-Encoding: gzip',
  `X-Long: ${'l'.repeat(9_000)}`,
  'Content-Length: 4, 4',
  'X-Nul: \0',
  'Proxy-Connection: close',
)
const body = fc.constantFrom(
  '',
  '',
  '',
  '{"a"',
  'ab',
  '4\r\n{"a"\r\n0\r\n\r\n',
  '4;ext=1\r\nbody\r\n0\r\nX: y\r\n\r\n',
  '\r\n',
)
const request = fc
  .tuple(method, path, version, fc.array(header, { maxLength: 6 }), body)
  .map(([verb, url, number, headers, text]) =>
    [`${verb} ${url} HTTP/${number}`, ...headers, '', text].join('\r\n'),
  )

/** The response to these bytes followed by a request that closes the connection. */
async function responseTo(way: 'direct' | 'forwarded', parts: readonly string[]): Promise<string> {
  const socket = ways.connect(way)
  const all = receivedBytes(socket)
  socket.end(
    `${parts.join('')}GET /echo HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n`,
    'latin1',
  )
  const { text } = await all
  return text
    .replaceAll(/^date: .*$/gim, 'Date')
    .replaceAll(/[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/g, 'id')
}

test('a client receives the same bytes whether its connection is forwarded or not', async () => {
  const runs = 100 * Number(process.env['HOOKLINE_TEST_CASES'] ?? 1)
  const requests = fc.array(request, { minLength: 1, maxLength: 3 })
  await fc.assert(
    fc.asyncProperty(requests, async (parts) => {
      const [direct, forwarded] = await Promise.all([
        responseTo('direct', parts),
        responseTo('forwarded', parts),
      ])
      expect(forwarded).toBe(direct)
    }),
    { numRuns: runs },
  )
})
