import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { AddressGuard } from '../../../src/delivery/network/address-guard.ts'
import {
  AddressForbiddenError,
  NameUnresolvedError,
} from '../../../src/delivery/network/network-errors.ts'
import { Resolver } from '../../../src/delivery/network/resolver.ts'
import { type DnsResponse, DnsServer } from '@hookline/testing/network/dns-server'
import { ManualClock } from '@hookline/testing/clocks/manual-clock'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'

const PUBLIC: DnsResponse = { addresses: ['192.0.66.1', '2606:4700::1111'], ttl: 60 }
const MINUTE = 60_000

async function setUp(answer: DnsResponse, hosts = '') {
  const stack = new AsyncDisposableStack()
  const hostsFile = join(stack.use(new TemporaryFolder()).path, 'hosts')
  await writeFile(hostsFile, hosts)
  const server = stack.use(await DnsServer.open(() => answer))
  const clock = new ManualClock()
  const guard = new AddressGuard(['127.0.0.0/8'])
  const resolver = new Resolver({ clock, guard, servers: [server.address], hostsFile })
  const addressesOf = async (name: string) =>
    (await resolver.lookup(name)).map(({ address }) => address)
  const close = () => stack.disposeAsync()
  return { server, clock, hostsFile, addressesOf, [Symbol.asyncDispose]: close }
}

describe.concurrent('a name', () => {
  test('has the addresses of both families, IPv4 first', async () => {
    await using dns = await setUp(PUBLIC)
    expect(await dns.addressesOf('a.example')).toEqual(['192.0.66.1', '2606:4700::1111'])
  })

  test('is looked up once for several callers and spellings', async () => {
    await using dns = await setUp(PUBLIC)
    await Promise.all(['a.example', 'A.Example', 'a.example.'].map(dns.addressesOf))
    expect(dns.server.questions.map(({ type }) => type).toSorted()).toEqual(['A', 'AAAA'])
  })

  test(
    'has the addresses of one family if the other gets no response',
    { timeout: 10_000 },
    async () => {
      await using dns = await setUp(PUBLIC)
      dns.server.answer = ({ type }) => (type === 'A' ? PUBLIC : 'silence')
      expect(await dns.addressesOf('a.example')).toEqual(['192.0.66.1'])
    },
  )

  test.each([
    ['a second', 1, 5000],
    ['a minute', 60, MINUTE],
    ['a day', 86_400, 300_000],
  ])(
    'with a TTL of %s is looked up again after it, but after at least 5 s and at most 300 s',
    async (_, ttl, ms) => {
      await using dns = await setUp({ addresses: ['192.0.66.1'], ttl })
      await dns.addressesOf('a.example')
      dns.server.answer = () => ({ addresses: ['192.0.66.2'], ttl })
      dns.clock.advance(ms - 1)
      expect(await dns.addressesOf('a.example')).toEqual(['192.0.66.1'])
      dns.clock.advance(1)
      expect(await dns.addressesOf('a.example')).toEqual(['192.0.66.2'])
    },
  )
})

describe.concurrent('a name that does not exist', () => {
  test('fails, and is not looked up again for 30 s', async () => {
    await using dns = await setUp('no such name')
    await expect(dns.addressesOf('missing.invalid')).rejects.toThrow(NameUnresolvedError)
    const questions = dns.server.questions.length
    dns.clock.advance(29_999)
    await expect(dns.addressesOf('missing.invalid')).rejects.toThrow('missing.invalid')
    expect(dns.server.questions).toHaveLength(questions)
    dns.server.answer = () => PUBLIC
    dns.clock.advance(1)
    expect(await dns.addressesOf('missing.invalid')).toContain('192.0.66.1')
  })

  test('in DNS may exist for the system resolver', async () => {
    await using dns = await setUp('no such name')
    // The system resolver always resolves localhost. The hosts file of this test is empty.
    expect(
      await dns.addressesOf('localhost').catch((error: Error) => error.message),
    ).toContainEqual('127.0.0.1')
  })
})

describe.concurrent('while name servers fail', () => {
  test('addresses are used for ten minutes after their TTL', async () => {
    await using dns = await setUp(PUBLIC)
    await dns.addressesOf('a.example')
    dns.server.answer = () => 'failure'
    dns.clock.advance(MINUTE)
    expect(await dns.addressesOf('a.example')).toContain('192.0.66.1')
    dns.clock.advance(10 * MINUTE - 1)
    expect(await dns.addressesOf('a.example')).toContain('192.0.66.1')
    dns.clock.advance(1)
    await expect(dns.addressesOf('a.example')).rejects.toThrow('ESERVFAIL')
  })

  test('names are looked up again after 5 s, not for each attempt', async () => {
    await using dns = await setUp(PUBLIC)
    await dns.addressesOf('a.example')
    dns.server.answer = () => 'failure'
    dns.clock.advance(MINUTE)
    await dns.addressesOf('a.example')
    const questions = dns.server.questions.length
    dns.clock.advance(4999)
    await dns.addressesOf('a.example')
    expect(dns.server.questions).toHaveLength(questions)
    dns.server.answer = () => ({ addresses: ['192.0.66.9'] })
    dns.clock.advance(1)
    expect(await dns.addressesOf('a.example')).toEqual(['192.0.66.9'])
  })

  test('an uncached name fails after two tries', async () => {
    await using dns = await setUp('silence')
    await expect(dns.addressesOf('a.example')).rejects.toThrow('ETIMEOUT')
    expect(dns.server.questions.filter(({ type }) => type === 'A')).toHaveLength(2)
  })
})

describe.concurrent('an answer', () => {
  test.each([
    ['10.0.0.1'],
    ['192.0.66.1', '10.0.0.1'],
    ['192.0.66.1', 'fd00:ec2::254'],
    ['2606:4700::1111', '::ffff:169.254.169.254'],
    ['192.0.66.1', '192.0.66.2', '192.0.66.3', '64:ff9b::a00:1'],
  ])('with a forbidden address is refused as a whole: %s %s', async (...addresses) => {
    await using dns = await setUp({ addresses })
    await expect(dns.addressesOf('a.example')).rejects.toThrow(AddressForbiddenError)
  })

  test('that changes to a private address is refused once the earlier TTL has expired', async () => {
    await using dns = await setUp({ addresses: ['127.0.0.1'], ttl: 0 })
    expect(await dns.addressesOf('rebinding.example')).toEqual(['127.0.0.1'])
    dns.server.answer = () => ({ addresses: ['10.0.0.1'], ttl: 0 })
    expect(await dns.addressesOf('rebinding.example')).toEqual(['127.0.0.1'])
    dns.clock.advance(5000)
    await expect(dns.addressesOf('rebinding.example')).rejects.toThrow('10.0.0.1, which is private')
  })
})

describe.concurrent('the hosts file', () => {
  test('takes precedence over name servers', async () => {
    const hosts =
      '# comment\n127.0.0.1  localhost Receiver.test # of tests\n\n192.0.66.7\treceiver.test\n'
    await using dns = await setUp(PUBLIC, hosts)
    expect(await dns.addressesOf('receiver.TEST')).toEqual(['127.0.0.1', '192.0.66.7'])
    expect(dns.server.questions).toEqual([])
  })

  test('is read again after 5 s', async () => {
    await using dns = await setUp('no such name', '127.0.0.1 a.test\n')
    await dns.addressesOf('a.test')
    await writeFile(dns.hostsFile, '127.0.0.2 a.test\n')
    dns.clock.advance(5000)
    expect(await dns.addressesOf('a.test')).toEqual(['127.0.0.2'])
  })

  test('does not allow forbidden addresses', async () => {
    await using dns = await setUp(PUBLIC, '10.0.0.1 inside.test\n')
    await expect(dns.addressesOf('inside.test')).rejects.toThrow(AddressForbiddenError)
  })
})
