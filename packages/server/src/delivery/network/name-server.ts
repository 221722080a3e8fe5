import type { LookupAddress, RecordWithTtl } from 'node:dns'
import { Resolver as CAresResolver } from 'node:dns/promises'

/** The result of looking up a name. `unknown`: the name does not exist. `down`: no server responded. */
export type LookupResult =
  | { readonly kind: 'found'; readonly addresses: readonly LookupAddress[]; readonly ttlMs: number }
  | { readonly kind: 'unknown' | 'down'; readonly code: string }

const TIMEOUT_MS = 1000
const TRIES = 2

/** The codes of c-ares for a name that does not exist. All other codes mean that no server responded. */
const UNKNOWN = new Set(['ENOTFOUND', 'ENODATA', 'EBADNAME', 'ENONAME'])

/** Looks up names at name servers through sockets, so a server that does not respond blocks no thread. */
export class NameServer {
  readonly #servers: readonly string[] | undefined
  #resolver: CAresResolver

  /** @param servers `address:port`; by default those of the system */
  constructor(servers?: readonly string[]) {
    this.#servers = servers
    this.#resolver = this.#open()
  }

  /** Both address families of a name. One is enough: some servers do not respond to a query for AAAA. */
  async find(name: string): Promise<LookupResult> {
    const results = await Promise.all([this.#query(name, 4), this.#query(name, 6)])
    const found = results.filter((result) => result.kind === 'found')
    if (found.length > 0) {
      const ttlMs = Math.min(...found.map((result) => result.ttlMs))
      return { kind: 'found', addresses: found.flatMap((result) => result.addresses), ttlMs }
    }
    const down = results.find((result) => result.kind === 'down')
    // The name servers of the system may have changed, on a laptop for example. A new resolver reads them again.
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
