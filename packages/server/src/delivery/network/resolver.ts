import { LRUCache } from 'lru-cache'
import type { LookupAddress } from 'node:dns'
import type { Clock } from '../../util/clock.ts'
import type { AddressGuard } from './address-guard.ts'
import { AddressForbidden, NameUnresolved } from './network-errors.ts'
import { HostsFile, SYSTEM_HOSTS_FILE } from './hosts-file.ts'
import { type LookupResult, NameServer } from './name-server.ts'
import { SystemLookup } from './system-lookup.ts'

const SHORTEST_MS = 5000
const LONGEST_MS = 300_000
const NEGATIVE_MS = 30_000
const STALE_MS = 600_000
/** The system tells no TTL. */
const SYSTEM_TTL_MS = 30_000
const MOST_NAMES = 10_000

export interface ResolverOptions {
  readonly clock: Clock
  readonly guard: AddressGuard
  /** Name servers as `address:port`, in place of the system's. */
  readonly servers?: readonly string[] | undefined
  readonly hostsFile?: string
}

/** What is remembered of a name. No addresses: it is known not to exist. */
interface Remembered {
  readonly addresses: readonly LookupAddress[]
  readonly code: string
  readonly freshUntil: number
  readonly staleUntil: number
}

/**
 * Names to addresses that webhooks may reach. Asks the hosts file, then name servers, then, for a name that
 * these do not know, the system. Remembers answers for their TTL (5 s to 300 s), and that there is none
 * for 30 s; when no server can be asked, an answer counts for 10 minutes more.
 */
export class Resolver {
  readonly #clock: Clock
  readonly #guard: AddressGuard
  readonly #hosts: HostsFile
  readonly #names: NameServer
  readonly #system = new SystemLookup()
  readonly #remembered = new LRUCache<string, Remembered>({ max: MOST_NAMES })
  readonly #asking = new Map<string, Promise<Remembered>>()

  constructor({ clock, guard, servers, hostsFile = SYSTEM_HOSTS_FILE }: ResolverOptions) {
    this.#clock = clock
    this.#guard = guard
    this.#hosts = new HostsFile({ path: hostsFile, clock })
    this.#names = new NameServer(servers)
  }

  /**
   * Every address of the name, IPv4 first.
   * @throws {AddressForbidden} if any of them may not be reached, so that a mixed answer opens nothing
   * @throws {NameUnresolved} if there is none
   */
  async lookup(host: string): Promise<readonly LookupAddress[]> {
    const name = host.toLowerCase().replace(/\.$/, '')
    const { addresses, code } = await this.#recall(name)
    if (addresses.length === 0) throw new NameUnresolved(name, code)
    for (const { address } of addresses) {
      const why = this.#guard.refusal(address)
      if (why !== undefined) throw new AddressForbidden(name, address, why)
    }
    return addresses
  }

  #recall(name: string): Promise<Remembered> | Remembered {
    const known = this.#remembered.get(name)
    if (known !== undefined && this.#clock.now() < known.freshUntil) return known
    const asking = this.#asking.get(name) ?? this.#askAndRemember(name, known)
    this.#asking.set(name, asking)
    return asking
  }

  async #askAndRemember(name: string, known: Remembered | undefined): Promise<Remembered> {
    try {
      const answer = remember(await this.#ask(name), known, this.#clock.now())
      this.#remembered.set(name, answer)
      return answer
    } finally {
      this.#asking.delete(name)
    }
  }

  async #ask(name: string): Promise<LookupResult> {
    const listed = await this.#hosts.find(name)
    if (listed.length > 0) return { kind: 'found', addresses: listed, ttlMs: SHORTEST_MS }
    const served = await this.#names.find(name)
    // Refused means that no name server is set up here, which the system may not need.
    const isForSystem = served.kind === 'unknown' || isRefused(served)
    return isForSystem ? this.#askSystem(name, served) : served
  }

  async #askSystem(name: string, served: LookupResult): Promise<LookupResult> {
    try {
      return { kind: 'found', addresses: await this.#system.find(name), ttlMs: SYSTEM_TTL_MS }
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      return code === 'ENOTFOUND' ? { kind: 'unknown', code } : served
    }
  }
}

const isRefused = (finding: LookupResult): boolean =>
  finding.kind === 'down' && finding.code === 'ECONNREFUSED'

function remember(finding: LookupResult, known: Remembered | undefined, now: number): Remembered {
  if (finding.kind === 'found') {
    const freshUntil = now + Math.min(Math.max(finding.ttlMs, SHORTEST_MS), LONGEST_MS)
    // By family, for a machine without a route for IPv6 must not wait to find that out.
    const addresses = finding.addresses.toSorted((a, b) => a.family - b.family)
    return { addresses, code: '', freshUntil, staleUntil: freshUntil + STALE_MS }
  }
  const { code } = finding
  if (finding.kind === 'unknown') {
    return { addresses: [], code, freshUntil: now + NEGATIVE_MS, staleUntil: now + NEGATIVE_MS }
  }
  // Not asked again at once: each of these questions takes seconds.
  if (known !== undefined && now < known.staleUntil) {
    return { ...known, freshUntil: Math.min(now + SHORTEST_MS, known.staleUntil) }
  }
  return { addresses: [], code, freshUntil: now, staleUntil: now }
}
