import ipaddr from 'ipaddr.js'
import { isIP } from 'node:net'

type Address = ipaddr.IPv4 | ipaddr.IPv6
type Network = [Address, number]

/** The rest of IPv6 is special or unassigned. */
const GLOBAL_UNICAST: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse('2000::'), 3]

/** Cloud metadata addresses outside of special ranges: Azure's, which also serves credentials. */
const METADATA = new Set(['168.63.129.16'])

/** The ranges of ipaddr.js; completes "is …". */
const WORDS: Readonly<Record<string, string>> = {
  unspecified: 'unspecified',
  broadcast: 'a broadcast address',
  multicast: 'a multicast address',
  linkLocal: 'link-local',
  loopback: 'loopback',
  carrierGradeNat: 'reserved for carrier-grade NAT',
  private: 'private',
  uniqueLocal: 'private',
}

/** Decides which addresses webhooks may reach: public ones, and networks that the operator allows. Pure. */
export class AddressGuard {
  readonly #allowed: readonly Network[]

  /** @param allowedNetworks like `10.0.0.0/8`; an IPv4 network also allows its IPv4-mapped form */
  constructor(allowedNetworks: readonly string[]) {
    this.#allowed = allowedNetworks.map((network) => unmapNetwork(ipaddr.parseCIDR(network)))
  }

  /** Why the address is forbidden; completes "is …". */
  refusal(text: string): string | undefined {
    if (!isIP(text)) return 'not an IP address'
    const address = ipaddr.process(text)
    return this.#isAllowed(address) ? undefined : refusalOf(address)
  }

  #isAllowed(address: Address): boolean {
    return this.#allowed.some(
      ([network, bits]) => network.kind() === address.kind() && address.match(network, bits),
    )
  }
}

function unmapNetwork([network, bits]: Network): Network {
  return network instanceof ipaddr.IPv6 && network.isIPv4MappedAddress() && bits >= 96
    ? [network.toIPv4Address(), bits - 96]
    : [network, bits]
}

function refusalOf(address: Address): string | undefined {
  if (address instanceof ipaddr.IPv4) return refusalOfIpv4(address)
  const inner = embeddedIpv4(address)
  const refusals = [...(inner ?? []), ...isatapIpv4(address)].map(refusalOfIpv4)
  if (inner === undefined) refusals.push(refusalOfIpv6(address))
  return refusals.find((refusal) => refusal !== undefined)
}

function refusalOfIpv4(address: ipaddr.IPv4): string | undefined {
  if (METADATA.has(address.toString())) return 'a cloud metadata address'
  const range = address.range()
  return range === 'unicast' ? undefined : (WORDS[range] ?? 'reserved')
}

function refusalOfIpv6(address: ipaddr.IPv6): string | undefined {
  const range = address.range()
  if (range === 'unicast' && address.match(GLOBAL_UNICAST)) return undefined
  return WORDS[range] ?? 'reserved'
}

/**
 * The IPv4 addresses embedded in an IPv6 address, by its prefix; `undefined` if none. 64:ff9b:1::/48 (RFC 8215) is not
 * decoded: the position of the IPv4 address depends on the local translator.
 */
function embeddedIpv4(address: ipaddr.IPv6): ipaddr.IPv4[] | undefined {
  const { parts } = address
  const at = (index: number) => ipv4(parts[index]!, parts[index + 1]!)
  const startsWith = (...prefix: number[]) => prefix.every((part, index) => parts[index] === part)
  if (startsWith(0, 0, 0, 0, 0, 0)) return [at(6)] // IPv4-compatible, RFC 4291 §2.5.5.1
  if (startsWith(0x64, 0xff9b, 0, 0, 0, 0)) return [at(6)] // NAT64, RFC 6052
  if (startsWith(0x2002)) return [at(1)] // 6to4, RFC 3056
  // Teredo, RFC 4380: the server, and the client with its bits inverted.
  if (startsWith(0x2001, 0)) return [at(2), ipv4(parts[6]! ^ 0xffff, parts[7]! ^ 0xffff)]
  return undefined
}

/** The IPv4 address in an ISATAP address (RFC 5214 §6.1), which may have any prefix: a router forwards to that IPv4 address. */
function isatapIpv4({ parts }: ipaddr.IPv6): ipaddr.IPv4[] {
  const isIsatap = (parts[4]! & ~UNIVERSAL_AND_GROUP_BITS) === 0 && parts[5] === 0x5efe
  return isIsatap ? [ipv4(parts[6]!, parts[7]!)] : []
}

/** Two bits of an interface identifier that ISATAP leaves free. */
const UNIVERSAL_AND_GROUP_BITS = 0x0300

function ipv4(high: number, low: number): ipaddr.IPv4 {
  return new ipaddr.IPv4([high >> 8, high & 0xff, low >> 8, low & 0xff])
}
