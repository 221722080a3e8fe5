import { pino } from 'pino'
import { describe, expect, onTestFinished, test } from 'vitest'
import { clientOf, AuthFailureLimit } from '../../../src/admin/access/authenticate.ts'
import { Metrics } from '../../../src/telemetry/metrics.ts'
import { ManualClock } from '@hookline/testing/clocks/manual-clock'
import { AdminServer } from '../admin-server.ts'
import type { ProblemDocument } from '../problem-document.ts'

const MINUTE = 60_000

async function opened(maxAuthFailuresPerMinute: number | null): Promise<AdminServer> {
  const server = await AdminServer.open({ maxAuthFailuresPerMinute })
  onTestFinished(() => server[Symbol.asyncDispose]())
  return server
}

const callWith = (server: AdminServer, token: string) =>
  server.call<ProblemDocument>('GET', '/sources', { headers: { authorization: `Bearer ${token}` } })

function openAuthFailureLimit(perMinute: number | null = 60) {
  const clock = new ManualClock()
  const metrics = new Metrics()
  const lines: { readonly client: string | null; readonly requests: number }[] = []
  const logger = pino({ base: null }, { write: (line) => lines.push(JSON.parse(line)) })
  return {
    clock,
    metrics,
    lines,
    limit: new AuthFailureLimit({ perMinute, metrics, clock, logger }),
  }
}

const counted = async ({ authFailures }: Metrics): Promise<object> =>
  Object.fromEntries(
    (await authFailures.get()).values.map(({ labels, value }) => [labels['code'], value]),
  )

describe('beyond the limit', () => {
  test('an invalid token gets a 429 Problem with Retry-After, and the correct token still passes', async () => {
    const server = await opened(10)
    for (let index = 0; index < 10; index++) {
      expect((await callWith(server, `tok_wrong_${index}`)).status).toBe(401)
    }
    const { status, headers, body } = await callWith(server, 'tok_wrong')
    expect(status).toBe(429)
    expect(headers.get('retry-after')).toBe('1')
    expect(headers.get('content-type')).toContain('application/problem+json')
    expect(body).toMatchObject({ code: 'too_many_auth_failures', status: 429, errors: [] })
    expect((await server.call('GET', '/sources')).status).toBe(200)
    expect(await counted(server.metrics)).toEqual({ 401: 10, 429: 1 })
  })

  test('a client that waits as long as Retry-After requires gets a 401 again', async () => {
    const server = await opened(10)
    for (let index = 0; index < 10; index++) await callWith(server, 'tok_wrong')
    const { headers } = await callWith(server, 'tok_wrong')
    server.clock.advance(Number(headers.get('retry-after')) * 1000)
    expect((await callWith(server, 'tok_wrong')).status).toBe(401)
  })

  test('a request without a token gets a 401, because it is not a guess', async () => {
    const server = await opened(1)
    await callWith(server, 'tok_wrong')
    expect((await callWith(server, 'tok_wrong')).status).toBe(429)
    const { status } = await server.call('GET', '/sources', { headers: { authorization: '' } })
    expect(status).toBe(401)
  })
})

test('without a limit, every invalid token gets a 401', async () => {
  const server = await opened(null)
  for (let index = 0; index < 100; index++)
    expect((await callWith(server, 'tok_wrong')).status).toBe(401)
})

test('4,800 invalid tokens from one client cause one log line per minute, with its address and the count', () => {
  const { clock, lines, limit } = openAuthFailureLimit()
  for (let index = 0; index < 4_800; index++) limit.add('192.0.2.7')
  expect(lines).toHaveLength(1)
  clock.advance(MINUTE)
  expect(lines.map(({ client, requests }) => [client, requests])).toEqual([
    ['192.0.2.7', 1],
    ['192.0.2.7', 4_799],
  ])
})

test('invalid tokens from many networks cause a limited number of log lines, and all of them are counted', async () => {
  const { lines, limit, metrics } = openAuthFailureLimit()
  for (let index = 0; index < 50_000; index++)
    limit.add(`2001:db8:${(index >> 8).toString(16)}:${(index & 255).toString(16)}::1`)
  expect(lines).toHaveLength(21)
  expect(lines.filter(({ client }) => client === null)).toHaveLength(1)
  expect(await counted(metrics)).toEqual({ 401: 50_000 })
})

test('clients are limited separately, but all addresses of a /64 together', () => {
  const { limit } = openAuthFailureLimit(2)
  for (let index = 1; index <= 2; index++)
    expect(limit.add(`2001:db8:1:1::${index}`)).toBeUndefined()
  expect(limit.add('2001:db8:1:1:ffff::3')?.statusCode).toBe(429)
  expect(limit.add('2001:db8:1:2::3')).toBeUndefined()
  expect(limit.add('192.0.2.7')).toBeUndefined()
})

test.each([
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['fe80::1%eth0', 'fe80::/64'],
  ['::1', '::/64'],
  ['not an address\u009b', 'unknown'],
])('the client at %s is %s', (address, client) => {
  expect(clientOf(address)).toBe(client)
})
