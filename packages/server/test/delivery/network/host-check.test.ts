import { describe, expect, test } from 'vitest'
import { AddressGuard } from '../../../src/delivery/network/address-guard.ts'
import { HostCheck } from '../../../src/delivery/network/host-check.ts'
import { Resolver } from '../../../src/delivery/network/resolver.ts'
import { type DnsAnswer, DnsServer } from '@hookline/testing/network/dns-server'
import { ManualClock } from '@hookline/testing/clocks/manual-clock'

async function setUp(answer: DnsAnswer, isBehindProxy = false) {
  const server = await DnsServer.open(() => answer)
  const clock = new ManualClock()
  const guard = new AddressGuard(['10.0.0.0/8'])
  const resolver = new Resolver({ clock, guard, servers: [server.address] })
  const check = new HostCheck({ clock, guard, resolver, isBehindProxy })
  return { server, clock, check, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() }
}

describe('the check of a host', () => {
  test('finds nothing wrong with a public address, an allowed one, and a name that has one', async () => {
    await using dns = await setUp({ addresses: ['192.0.66.1'] })
    for (const host of ['192.0.66.1', '10.1.2.3', 'a.example'])
      expect(await dns.check.problemOf(host)).toBeUndefined()
  })

  test('tells why an address is forbidden, and to which one a name leads', async () => {
    await using dns = await setUp({ addresses: ['192.0.66.1', '127.0.0.1'] })
    const problem = { kind: 'forbidden', address: '127.0.0.1', why: 'loopback' }
    expect(await dns.check.problemOf('127.0.0.1')).toEqual(problem)
    expect(await dns.check.problemOf('a.example')).toEqual(problem)
  })

  test('tells that a name has no address, but not behind a proxy, which may know it', async () => {
    await using direct = await setUp('no such name')
    expect(await direct.check.problemOf('a.invalid')).toEqual({ kind: 'unresolved' })
    await using proxied = await setUp('no such name', true)
    expect(await proxied.check.problemOf('a.invalid')).toBeUndefined()
  })

  test('waits a second for a name server that is silent, and then finds nothing wrong', async () => {
    await using dns = await setUp('silence')
    const checked = dns.check.problemOf('a.example')
    dns.clock.advance(1_000)
    expect(await checked).toBeUndefined()
  })
})
