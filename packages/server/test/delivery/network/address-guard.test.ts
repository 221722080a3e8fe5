import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { AddressGuard } from '../../../src/delivery/network/address-guard.ts'
import { HOSTILE_HOSTS, words } from '@hookline/testing/network/hostile-hosts'

/** The host of a webhook, after WHATWG URL parsing. */
const hostOf = (url: string): string => new URL(url).hostname.replace(/^\[|\]$/g, '')

const closed = new AddressGuard([])

/** Public addresses next to forbidden ranges. */
const PUBLIC = `1.1.1.1 8.8.8.8 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255
  128.0.0.1 169.253.0.1 172.15.255.255 172.32.0.0 191.255.0.1 192.167.255.255 192.169.0.0
  198.17.255.255 198.20.0.0 223.255.255.255 [2606:4700::1111] [2001:200::1]
  [2a00:1450:4001::200e] [3ffe::1] [2400::1] [::ffff:8.8.8.8] [64:ff9b::8.8.8.8]
  [2002:808:808::1] [2001:0:808:808::f7f7:f7f7] [2606:4700::5efe:8.8.8.8]
  [2606:4700::200:5efe:8.8.8.8] [2606:4700::5eff:127.0.0.1] [2606:4700::400:5efe:127.0.0.1]`

describe('an address literal', () => {
  test.each(
    Object.entries(HOSTILE_HOSTS).flatMap(([kind, hosts]) =>
      words(hosts).map((host) => [kind, host]),
    ),
  )('of %s is forbidden: %s', (_kind, host) => {
    expect(closed.refusal(hostOf(`http://${host}/`))).toBeTypeOf('string')
  })

  test.each(words(PUBLIC))('on the public internet is allowed: %s', (host) => {
    expect(closed.refusal(hostOf(`http://${host}/`))).toBeUndefined()
  })

  test.each(['', 'localhost', 'a.example', '127.1', '010.0.0.1', '0x7f.1', '10.0.0.0/8', '::g'])(
    'in a form that sockets do not use, %j, is refused',
    (text) => {
      expect(closed.refusal(text)).toBe('not an IP address')
    },
  )

  test('with a zone is checked without the zone', () => {
    expect(closed.refusal('fe80::1%eth0')).toBe('link-local')
  })

  test.each([
    ['127.0.0.1', 'loopback'],
    ['10.0.0.1', 'private'],
    ['fd00::1', 'private'],
    ['169.254.169.254', 'link-local'],
    ['100.64.0.1', 'reserved for carrier-grade NAT'],
    ['168.63.129.16', 'a cloud metadata address'],
    ['192.0.2.1', 'reserved'],
    ['::ffff:10.0.0.1', 'private'],
  ])('such as %s is refused as %s', (address, reason) => {
    expect(closed.refusal(address)).toBe(reason)
  })

  test('is treated the same in IPv4 and in each IPv6 form that contains it', () => {
    fc.assert(
      fc.property(fc.ipV4(), (address) => {
        const [a, b, c, d] = address.split('.').map(Number) as [number, number, number, number]
        const inHex = `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`
        const isatap = [`2606:4700::5efe:${inHex}`, `2606:4700:1:1:200:5efe:${inHex}`]
        const forms = [`::ffff:${inHex}`, `64:ff9b::${inHex}`, `2002:${inHex}::1`, ...isatap]
        for (const form of forms) {
          expect(closed.refusal(form)).toBe(closed.refusal(address))
        }
      }),
    )
  })
})

describe('allowed networks', () => {
  const open = new AddressGuard(['10.1.0.0/16', '127.0.0.0/8', '::1/128', 'fd12::/16'])

  test.each(['10.1.2.3', '127.0.0.1', '::1', 'fd12::5', '::ffff:10.1.2.3', '::ffff:127.0.0.1'])(
    'allow %s',
    (address) => {
      expect(open.refusal(address)).toBeUndefined()
    },
  )

  test.each([
    '10.2.0.1',
    '192.168.0.1',
    'fd13::1',
    '::2',
    '::ffff:10.2.0.1',
    '64:ff9b::10.1.2.3',
    '2606:4700::5efe:10.1.2.3',
  ])('do not allow %s', (address) => {
    expect(open.refusal(address)).toBeTypeOf('string')
  })

  test('in IPv4-mapped form allow the IPv4 network', () => {
    const guard = new AddressGuard(['::ffff:10.0.0.0/104'])
    expect(guard.refusal('10.9.9.9')).toBeUndefined()
    expect(guard.refusal('11.0.0.1')).toBeUndefined()
    expect(guard.refusal('192.168.0.1')).toBe('private')
  })

  test('for all of IPv6 allow no IPv4 address', () => {
    const guard = new AddressGuard(['::/0'])
    expect(guard.refusal('fe80::1')).toBeUndefined()
    expect(guard.refusal('::ffff:10.0.0.1')).toBe('private')
  })
})
