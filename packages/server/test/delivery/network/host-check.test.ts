import { describe, expect, test } from 'vitest'
import { type DnsResponse, DnsServer } from '@hookline/testing/network/dns-server'
import { ManualClock } from '@hookline/testing/clocks/manual-clock'
import { AddressGuard } from '../../../src/delivery/network/address-guard.ts'
import { hostProblem, Resolver } from '../../../src/delivery/network/resolver.ts'

async function setUp(answer: DnsResponse, isBehindProxy = false) {
  const server = await DnsServer.open(() => answer)
  const clock = new ManualClock()
  const guard = new AddressGuard(['10.0.0.0/8'])
  const resolver = new Resolver({ clock, guard, servers: [server.address] })
  const check = (host: string) => hostProblem(host, { clock, guard, resolver, isBehindProxy })
  return { server, clock, check, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() }
}

describe('the check of a host', () => {
  test('accepts a public address, an allowed one, and a name that resolves to one', async () => {
    await using dns = await setUp({ addresses: ['192.0.66.1'] })
    for (const host of ['192.0.66.1', '10.1.2.3', 'a.example'])
      expect(await dns.check(host)).toBeUndefined()
  })

  test('reports why an address is forbidden, and the address that a name resolves to', async () => {
    await using dns = await setUp({ addresses: ['192.0.66.1', '127.0.0.1'] })
    const problem = { kind: 'forbidden', address: '127.0.0.1', why: 'loopback' }
    expect(await dns.check('127.0.0.1')).toEqual(problem)
    expect(await dns.check('a.example')).toEqual(problem)
  })

  test('reports a name without an address, but not behind a proxy that may resolve it', async () => {
    await using direct = await setUp('no such name')
    expect(await direct.check('a.invalid')).toEqual({ kind: 'unresolved' })
    await using proxied = await setUp('no such name', true)
    expect(await proxied.check('a.invalid')).toBeUndefined()
  })

  test('waits a second for a silent name server, then accepts the host', async () => {
    await using dns = await setUp('silence')
    const checked = dns.check('a.example')
    dns.clock.advance(1_000)
    expect(await checked).toBeUndefined()
  })
})
