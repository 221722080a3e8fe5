import type { LookupAddress } from 'node:dns'
import { createSecureContext } from 'node:tls'
import { describe, expect, onTestFinished, test } from 'vitest'
import { AddressGuard } from '../../../src/delivery/network/address-guard.ts'
import { AddressForbiddenError } from '../../../src/delivery/network/network-errors.ts'
import { GuardedConnector } from '../../../src/delivery/network/guarded-connector.ts'
import type { WebhookSender } from '../../../src/delivery/sending/sender.ts'
import { systemClock } from '../../../src/util/time/clock.ts'
import { makeCertificates } from '@hookline/testing/network/certificates'
import { type DnsResponse, DnsServer } from '@hookline/testing/network/dns-server'
import { ManualClock } from '@hookline/testing/clocks/manual-clock'
import { openReceiver } from '@hookline/testing/receiver/receiver'
import { openSender, requestTo } from '@hookline/testing/engine/open-sender'

const send = (sender: WebhookSender, url: string) => sender.send(requestTo(url))

async function openDns(answer: DnsResponse): Promise<DnsServer> {
  const server = await DnsServer.open(() => answer)
  onTestFinished(() => server[Symbol.asyncDispose]())
  return server
}

describe('a webhook at a forbidden address', () => {
  test.each(
    [
      '127.0.0.1 127.1 2130706433 0x7f.1 0177.0.0.1 0 127.0.0.1. localhost ①②⑦.0.0.1',
      '[::ffff:127.0.0.1] [::ffff:7f00:1] [64:ff9b::7f00:1]',
    ].flatMap((hosts) => hosts.split(' ')),
  )('is refused without a connection: http and https, %s', async (host) => {
    await using receiver = await openReceiver()
    await using secure = await openReceiver({ tls: makeCertificates().good })
    const sender = openSender({ allowedNetworks: [] })
    const results = [
      await send(sender, `http://${host}:${receiver.port}/`),
      await send(sender, `https://${host}:${secure.port}/`),
    ]
    for (const result of results) {
      expect(result).toMatchObject({ outcome: 'retry', class: 'address_forbidden' })
      expect(result.error).toContain('allowedNetworks')
    }
    expect(receiver.connections + secure.connections).toBe(0)
  })

  test.each([
    [['127.0.0.1']],
    [['192.0.66.1', '127.0.0.1']],
    [['2606:4700::1111', '::ffff:127.0.0.1']],
  ])('by name is refused without a connection: %j', async (addresses) => {
    await using receiver = await openReceiver()
    const dns = await openDns({ addresses })
    const sender = openSender({ dnsServers: [dns.address], allowedNetworks: [] })
    const result = await send(sender, `http://receiver.example:${receiver.port}/`)
    expect(result).toMatchObject({ outcome: 'retry', class: 'address_forbidden' })
    expect(receiver.connections).toBe(0)
  })

  test('is reached when the network is allowed', async () => {
    await using receiver = await openReceiver()
    const dns = await openDns({ addresses: ['127.0.0.1'] })
    const sender = openSender({ dnsServers: [dns.address], allowedNetworks: ['127.0.0.0/8'] })
    const result = await send(sender, `http://receiver.example:${receiver.port}/`)
    expect(result).toMatchObject({ outcome: 'delivered' })
    expect(receiver.requests[0]?.headers.host).toBe(`receiver.example:${receiver.port}`)
    await sender[Symbol.asyncDispose]()
  })
})

test('a name that later changes to a private address is refused', async () => {
  await using allowed = await openReceiver({ respond: { headers: { Connection: 'close' } } })
  const dns = await openDns({ addresses: ['127.0.0.1'], ttl: 0 })
  const clock = new ManualClock()
  const sender = openSender({
    clock,
    dnsServers: [dns.address],
    allowedNetworks: ['127.0.0.1/32'],
  })
  const url = `http://rebinding.example:${allowed.port}/`
  expect(await send(sender, url)).toMatchObject({ outcome: 'delivered' })
  dns.answer = () => ({ addresses: ['127.0.0.2'], ttl: 0 })
  clock.advance(5000)
  expect(await send(sender, url)).toMatchObject({ class: 'address_forbidden' })
  expect(allowed.connections).toBe(1)
})

test('a name that does not resolve is retried', async () => {
  const dns = await openDns('failure')
  const result = await send(
    openSender({ dnsServers: [dns.address], allowedNetworks: [] }),
    'https://a.example/?k=s3cret',
  )
  expect(result).toMatchObject({ outcome: 'retry', class: 'dns_failed' })
  expect(result.error).toBe('Cannot resolve the host name a.example (ESERVFAIL).')
})

test('the deadline covers a name server that does not respond', async () => {
  const dns = await openDns('silence')
  const sender = openSender({ dnsServers: [dns.address], timeoutMs: 200 })
  const result = await send(sender, 'https://a.example/')
  const error = 'No response within 200 ms.'
  expect(result).toMatchObject({ outcome: 'retry', class: 'timeout', error })
})

test.each(['http:', 'https:'])(
  'a socket with a forbidden remote address is closed before a byte is sent: %s',
  async (protocol) => {
    await using receiver = await openReceiver()
    const fooled = {
      lookup: async (): Promise<LookupAddress[]> => [{ address: '127.0.0.1', family: 4 }],
    }
    using connector = new GuardedConnector({
      clock: systemClock,
      timeoutMs: 5000,
      guard: new AddressGuard([]),
      allowedPorts: new Set(),
      resolver: fooled,
      secureContext: createSecureContext(),
    })
    const error = await new Promise((resolve) => {
      const target = { hostname: 'a.example', protocol, port: String(receiver.port) }
      connector.connect(target, (...[failure]) => resolve(failure))
    })
    expect(error).toBeInstanceOf(AddressForbiddenError)
    await expect.poll(() => receiver.connections).toBe(1)
    await expect.poll(() => receiver.openConnections).toBe(0)
    expect(receiver.bytesReceived).toBe(0)
  },
)
