import { LRUCache } from 'lru-cache'
import type { LookupAddress, RecordWithTtl } from 'node:dns'
import { lookup, Resolver as CAresResolver } from 'node:dns/promises'
import { readFile } from 'node:fs/promises'
import { isIP } from 'node:net'
import { limitFunction } from 'p-limit'
import { INSPECTOR_HOST } from '@hookline/protocol'
import type { Clock } from '../../util/time/clock.ts'
import type { AddressGuard } from './address-guard.ts'
import { AddressForbiddenError, NameUnresolvedError } from './network-errors.ts'
import { Deadline } from './deadline.ts'

const MIN_MS = 5000
const MAX_MS = 300_000
const NEGATIVE_MS = 30_000
const STALE_MS = 600_000
const SYSTEM_TTL_MS = 30_000
const MAX_NAMES = 10_000
/** Each system lookup blocks one of libuv's four threads, for seconds when DNS is down. */
const MAX_CONCURRENT_SYSTEM_LOOKUPS = 2

export interface ResolverOptions {
  readonly clock: Clock
  readonly guard: AddressGuard
  /** `address:port`; defaults to the system's name servers. */
  readonly servers?: readonly string[] | undefined
  readonly hostsFile?: string
}

/** If `addresses` is empty, the name is unresolved. */
interface CachedResult {
  readonly addresses: readonly LookupAddress[]
  readonly code: string
  readonly freshUntil: number
  readonly staleUntil: number
}

/**
 * Resolves names to addresses that webhooks may reach: from the hosts file, then name servers, then the system if the name is
 * unknown or no name server is configured. Caches addresses for their TTL (5 s to 300 s), missing names for 30 s, and addresses
 * for 10 more minutes while lookups fail.
 */
export class Resolver {
  readonly #clock: Clock
  readonly #guard: AddressGuard
  readonly #hosts: HostsFile
  readonly #names: NameServer
  /** Resolves names as the system is configured to, with search domains. */
  readonly #systemLookup = limitFunction((name: string) => lookup(name, { all: true }), {
    concurrency: MAX_CONCURRENT_SYSTEM_LOOKUPS,
  })
  readonly #cache = new LRUCache<string, CachedResult>({ max: MAX_NAMES })
  readonly #pending = new Map<string, Promise<CachedResult>>()

  constructor({ clock, guard, servers, hostsFile = SYSTEM_HOSTS_FILE }: ResolverOptions) {
    this.#clock = clock
    this.#guard = guard
    this.#hosts = new HostsFile({ path: hostsFile, clock })
    this.#names = new NameServer(servers)
  }

  /** All addresses of the name, IPv4 first. @throws {AddressForbiddenError | NameUnresolvedError} */
  async lookup(host: string): Promise<readonly LookupAddress[]> {
    const name = host.toLowerCase().replace(/\.$/, '')
    const { addresses, code } = await this.#find(name)
    if (addresses.length === 0) throw new NameUnresolvedError(name, code)
    for (const { address } of addresses) {
      const why = this.#guard.refusal(address)
      if (why !== undefined) throw new AddressForbiddenError(name, address, why)
    }
    return addresses
  }

  #find(name: string): Promise<CachedResult> | CachedResult {
    const known = this.#cache.get(name)
    if (known !== undefined && this.#clock.now() < known.freshUntil) return known
    const pending = this.#pending.get(name) ?? this.#queryAndCache(name, known)
    this.#pending.set(name, pending)
    return pending
  }

  async #queryAndCache(name: string, known: CachedResult | undefined): Promise<CachedResult> {
    try {
      const result = cachedResultOf(await this.#query(name), known, this.#clock.now())
      this.#cache.set(name, result)
      return result
    } finally {
      this.#pending.delete(name)
    }
  }

  async #query(name: string): Promise<LookupResult> {
    const listed = await this.#hosts.find(name)
    if (listed.length > 0) return { kind: 'found', addresses: listed, ttlMs: MIN_MS }
    const served = await this.#names.find(name)
    // A refused connection means that no name server is configured. The system may resolve names without one.
    const isForSystem = served.kind === 'unknown' || isRefused(served)
    return isForSystem ? this.#querySystem(name, served) : served
  }

  async #querySystem(name: string, served: LookupResult): Promise<LookupResult> {
    try {
      return { kind: 'found', addresses: await this.#systemLookup(name), ttlMs: SYSTEM_TTL_MS }
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      return code === 'ENOTFOUND' ? { kind: 'unknown', code } : served
    }
  }
}

/**
 * The time limit of a check, because an API request waits for it. A slower lookup proves nothing: deliveries look the name up
 * again.
 */
const LOOKUP_MS = 1_000

/** `why` completes "is …". */
export type HostProblem =
  | { readonly kind: 'forbidden'; readonly address: string; readonly why: string }
  | { readonly kind: 'unresolved' }

export interface HostCheckOptions {
  readonly clock: Clock
  readonly guard: AddressGuard
  readonly resolver: Pick<Resolver, 'lookup'>
  /** A proxy often resolves names that this machine cannot. */
  readonly isBehindProxy: boolean
}

/** Why webhooks cannot reach a host (a name or an address). Resolves within a second, and never rejects. */
export async function hostProblem(
  host: string,
  { clock, guard, resolver, isBehindProxy }: HostCheckOptions,
): Promise<HostProblem | undefined> {
  // The sender connects to the inspector without an address.
  if (host === INSPECTOR_HOST) return undefined
  if (isIP(host) !== 0) {
    const why = guard.refusal(host)
    return why === undefined ? undefined : { kind: 'forbidden', address: host, why }
  }
  using deadline = new Deadline({ clock, afterMs: LOOKUP_MS })
  try {
    await deadline.race(resolver.lookup(host))
    return undefined
  } catch (error) {
    if (error instanceof AddressForbiddenError)
      return { kind: 'forbidden', address: error.address, why: error.why }
    // A late lookup may still succeed.
    return error instanceof NameUnresolvedError && !isBehindProxy
      ? { kind: 'unresolved' }
      : undefined
  }
}

const isRefused = (result: LookupResult): boolean =>
  result.kind === 'down' && result.code === 'ECONNREFUSED'

function cachedResultOf(
  result: LookupResult,
  known: CachedResult | undefined,
  now: number,
): CachedResult {
  if (result.kind === 'found') {
    const freshUntil = now + Math.min(Math.max(result.ttlMs, MIN_MS), MAX_MS)
    // IPv4 first: a machine without an IPv6 route does not wait for it to fail.
    const addresses = result.addresses.toSorted((a, b) => a.family - b.family)
    return { addresses, code: '', freshUntil, staleUntil: freshUntil + STALE_MS }
  }
  const { code } = result
  if (result.kind === 'unknown') {
    return { addresses: [], code, freshUntil: now + NEGATIVE_MS, staleUntil: now + NEGATIVE_MS }
  }
  // Not looked up again immediately: a lookup without a response takes seconds.
  if (known !== undefined && now < known.staleUntil) {
    return { ...known, freshUntil: Math.min(now + MIN_MS, known.staleUntil) }
  }
  return { addresses: [], code, freshUntil: now, staleUntil: now }
}

/** `unknown`: the name does not exist. `down`: no server gave an answer. */
type LookupResult =
  | { readonly kind: 'found'; readonly addresses: readonly LookupAddress[]; readonly ttlMs: number }
  | { readonly kind: 'unknown' | 'down'; readonly code: string }

const TIMEOUT_MS = 1000
const TRIES = 2

/** Codes of c-ares for a name that does not exist. All others mean that no server gave an answer. */
const UNKNOWN = new Set(['ENOTFOUND', 'ENODATA', 'EBADNAME', 'ENONAME'])

/** Looks up names through sockets, so a server that does not respond blocks no thread. */
class NameServer {
  readonly #servers: readonly string[] | undefined
  #resolver: CAresResolver

  constructor(servers?: readonly string[]) {
    this.#servers = servers
    this.#resolver = this.#open()
  }

  /** Queries both families. One result is enough: some servers do not respond to AAAA. */
  async find(name: string): Promise<LookupResult> {
    const results = await Promise.all([this.#query(name, 4), this.#query(name, 6)])
    const resolved = results.filter((result) => result.kind === 'found')
    if (resolved.length > 0) {
      const ttlMs = Math.min(...resolved.map((result) => result.ttlMs))
      return { kind: 'found', addresses: resolved.flatMap((result) => result.addresses), ttlMs }
    }
    const down = results.find((result) => result.kind === 'down')
    // The system's name servers may have changed, on a laptop for example. A new resolver reads them again.
    if (down !== undefined) this.#resolver = this.#open()
    return down ?? results[0]
  }

  async #query(name: string, family: 4 | 6): Promise<LookupResult> {
    try {
      const options = { ttl: true } as const
      const records: RecordWithTtl[] = await (family === 4
        ? this.#resolver.resolve4(name, options)
        : this.#resolver.resolve6(name, options))
      const ttlMs = Math.min(...records.map((record) => record.ttl)) * 1000
      return {
        kind: 'found',
        addresses: records.map(({ address }) => ({ address, family })),
        ttlMs,
      }
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code ?? 'EUNKNOWN'
      return { kind: UNKNOWN.has(code) ? 'unknown' : 'down', code }
    }
  }

  #open(): CAresResolver {
    const resolver = new CAresResolver({
      timeout: TIMEOUT_MS,
      tries: TRIES,
      maxTimeout: TIMEOUT_MS,
    })
    if (this.#servers !== undefined) resolver.setServers(this.#servers)
    return resolver
  }
}

const FRESH_MS = 5000

const SYSTEM_HOSTS_FILE =
  process.platform === 'win32'
    ? `${process.env['SystemRoot'] ?? 'C:\\Windows'}\\System32\\drivers\\etc\\hosts`
    : '/etc/hosts'

/** The names in a hosts file, read again every 5 s. An unreadable file counts as empty. */
class HostsFile {
  readonly #path: string
  readonly #clock: Clock
  #names: Promise<ReadonlyMap<string, readonly LookupAddress[]>> = Promise.resolve(new Map())
  #freshUntil = -Infinity

  constructor(options: { readonly path: string; readonly clock: Clock }) {
    this.#path = options.path
    this.#clock = options.clock
  }

  /** `name` must be in lower case. */
  async find(name: string): Promise<readonly LookupAddress[]> {
    if (this.#clock.now() >= this.#freshUntil) {
      this.#freshUntil = this.#clock.now() + FRESH_MS
      this.#names = readFile(this.#path, 'utf8').then(parseHosts, () => new Map())
    }
    return (await this.#names).get(name) ?? []
  }
}

function parseHosts(text: string): Map<string, LookupAddress[]> {
  const names = new Map<string, LookupAddress[]>()
  for (const line of text.split('\n')) {
    const [address = '', ...aliases] = line.replace(/#.*/, '').trim().split(/\s+/)
    const family = isIP(address)
    if (family === 0) continue
    for (const alias of aliases) {
      const name = alias.toLowerCase()
      names.set(name, [...(names.get(name) ?? []), { address, family }])
    }
  }
  return names
}
