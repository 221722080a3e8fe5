import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { AddressGuard } from '../../src/delivery/address-guard.ts'

/** What a webhook's host is, once the URL is parsed the WHATWG way. */
const hostOf = (url: string): string => new URL(url).hostname.replace(/^\[|\]$/g, '')

const closed = new AddressGuard([])

/** Hosts as a hostile URL may spell them, by what is behind them. */
const FORBIDDEN = {
  loopback: `127.0.0.1 127.1 127.0.1 2130706433 0x7f000001 0x7f.1 0177.0.0.1 017700000001
    0x7f.0x0.0x0.0x1 127.0.0.1. ①②⑦.0.0.1 １２７.0.0.1 127。0。0。1 127.255.255.254 [::1]
    [0:0:0:0:0:0:0:1] %31%32%37.0.0.1`,
  'this host or network': '0.0.0.0 0 0.1.2.3 [::] 0x0',
  private: `10.0.0.1 10.255.255.255 012.0.0.1 167772161 172.16.0.1 172.31.255.255 192.168.0.1
    192.168.257 3232235777 [fc00::1] [fdff:ffff::1] [fec0::1] [feff::1]`,
  'link-local': '169.254.1.1 [fe80::1] [febf::1]',
  'carrier-grade NAT': '100.64.0.1 100.127.255.255',
  'metadata of a cloud': `169.254.169.254 2852039166 0xa9fea9fe 0251.0376.0251.0376 [fd00:ec2::254]
    100.100.100.200 168.63.129.16 192.0.0.192 [::ffff:169.254.169.254]`,
  'reserved, documentation, benchmark': `192.0.0.1 192.0.2.1 198.51.100.7 203.0.113.9 198.18.0.1
    198.19.255.255 192.88.99.1 240.0.0.1 [2001:db8::1] [3fff::1] [5f00::1] [100::1] [2001:2::1]
    [2001:10::1] [2001:20::1] [2001:1ff::1] [4000::1] [1::1]`,
  'multicast, broadcast': `224.0.0.1 239.255.255.255 255.255.255.255 0xffffffff [ff02::1] [ff0e::1]`,
  'IPv4, mapped': '[::ffff:127.0.0.1] [::ffff:7f00:1] [::ffff:0a00:0001] [::ffff:0:0]',
  'IPv4, compatible or translated': '[::127.0.0.1] [::10.0.0.1] [::2] [::ffff:0:127.0.0.1]',
  'IPv4 by NAT64': `[64:ff9b::127.0.0.1] [64:ff9b::a00:1] [64:ff9b::169.254.169.254]
    [64:ff9b:1::7f00:1] [64:ff9b:1:a00:0:100::] [64:ff9b:2::1]`,
  'IPv4 by 6to4': '[2002:7f00:1::] [2002:a00:1::1] [2002:c0a8:101::1]',
  'IPv4 by Teredo, server or client': `[2001:0:7f00:1::] [2001:0:808:808:0:0:80ff:fffe]
    [2001:0:808:808:0:0:f5ff:fffe]`,
}

/** The neighbours of what is forbidden. */
const PUBLIC = `1.1.1.1 8.8.8.8 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255
  128.0.0.1 169.253.0.1 172.15.255.255 172.32.0.0 191.255.0.1 192.167.255.255 192.169.0.0
  198.17.255.255 198.20.0.0 223.255.255.255 [2606:4700::1111] [2001:200::1]
  [2a00:1450:4001::200e] [3ffe::1] [2400::1] [::ffff:8.8.8.8] [64:ff9b::8.8.8.8]
  [2002:808:808::1] [2001:0:808:808::f7f7:f7f7]`

const words = (text: string): string[] => text.trim().split(/\s+/)

describe('an address literal', () => {
  test.each(
    Object.entries(FORBIDDEN).flatMap(([kind, hosts]) => words(hosts).map((host) => [kind, host])),
  )('of %s may not be reached: %s', (_kind, host) => {
    expect(closed.refusal(hostOf(`http://${host}/`))).toBeTypeOf('string')
  })

  test.each(words(PUBLIC))('of the public internet may be reached: %s', (host) => {
    expect(closed.refusal(hostOf(`http://${host}/`))).toBeUndefined()
  })

  test.each(['', 'localhost', 'a.example', '127.1', '010.0.0.1', '0x7f.1', '10.0.0.0/8', '::g'])(
    'that is not one as sockets spell it, %j, is refused',
    (text) => {
      expect(closed.refusal(text)).toBe('no IP address')
    },
  )

  test('with a zone is judged without it', () => {
    expect(closed.refusal('fe80::1%eth0')).toBe('link-local')
  })

  test.each([
    ['127.0.0.1', 'loopback'],
    ['10.0.0.1', 'private'],
    ['fd00::1', 'private'],
    ['169.254.169.254', 'link-local'],
    ['100.64.0.1', 'of carrier-grade NAT'],
    ['168.63.129.16', 'inside a cloud provider'],
    ['192.0.2.1', 'reserved'],
    ['::ffff:10.0.0.1', 'private'],
  ])('%s is refused as %s', (address, reason) => {
    expect(closed.refusal(address)).toBe(reason)
  })

  test('of any IPv4 is judged alike in each form that carries it', () => {
    fc.assert(
      fc.property(fc.ipV4(), (address) => {
        const [a, b, c, d] = address.split('.').map(Number) as [number, number, number, number]
        const inHex = `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`
        for (const form of [`::ffff:${inHex}`, `64:ff9b::${inHex}`, `2002:${inHex}::1`]) {
          expect(closed.refusal(form)).toBe(closed.refusal(address))
        }
      }),
    )
  })
})

describe('allowed networks', () => {
  const open = new AddressGuard(['10.1.0.0/16', '127.0.0.0/8', '::1/128', 'fd12::/16'])

  test.each(['10.1.2.3', '127.0.0.1', '::1', 'fd12::5', '::ffff:10.1.2.3', '::ffff:127.0.0.1'])(
    'open %s',
    (address) => {
      expect(open.refusal(address)).toBeUndefined()
    },
  )

  test.each(['10.2.0.1', '192.168.0.1', 'fd13::1', '::2', '::ffff:10.2.0.1', '64:ff9b::10.1.2.3'])(
    'leave %s closed',
    (address) => {
      expect(open.refusal(address)).toBeTypeOf('string')
    },
  )

  test('in IPv4-mapped form mean the IPv4 network', () => {
    const guard = new AddressGuard(['::ffff:10.0.0.0/104'])
    expect(guard.refusal('10.9.9.9')).toBeUndefined()
    expect(guard.refusal('11.0.0.1')).toBeUndefined()
    expect(guard.refusal('192.168.0.1')).toBe('private')
  })

  test('for all of IPv6 open nothing of IPv4', () => {
    const guard = new AddressGuard(['::/0'])
    expect(guard.refusal('fe80::1')).toBeUndefined()
    expect(guard.refusal('::ffff:10.0.0.1')).toBe('private')
  })
})
