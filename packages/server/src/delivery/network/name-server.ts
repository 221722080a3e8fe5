import type { LookupAddress, RecordWithTtl } from 'node:dns'
import { Resolver as CAresResolver } from 'node:dns/promises'

/** What a source of addresses says of a name. `down`: it could not be asked. */
export type Finding =
  | { readonly kind: 'found'; readonly addresses: readonly LookupAddress[]; readonly ttlMs: number }
  | { readonly kind: 'unknown' | 'down'; readonly code: string }

const TIMEOUT_MS = 1000
const TRIES = 2

/** c-ares' words for a name that is not there; all others mean that nobody said anything. */
const UNKNOWN = new Set(['ENOTFOUND', 'ENODATA', 'EBADNAME', 'ENONAME'])

/** Name servers asked over sockets, so that one that does not answer holds up no thread. */
export class NameServer {
  readonly #servers: readonly string[] | undefined
  #resolver: CAresResolver

  /** @param servers `address:port`; without them those the system is set up with */
  constructor(servers?: readonly string[]) {
    this.#servers = servers
    this.#resolver = this.#open()
  }

  /** Both families of a name. One of them is enough: a server that knows no AAAA may not even answer. */
  async find(name: string): Promise<Finding> {
    const answers = await Promise.all([this.#query(name, 4), this.#query(name, 6)])
    const found = answers.filter((answer) => answer.kind === 'found')
    if (found.length > 0) {
      const ttlMs = Math.min(...found.map((answer) => answer.ttlMs))
      return { kind: 'found', addresses: found.flatMap((answer) => answer.addresses), ttlMs }
    }
    const down = answers.find((answer) => answer.kind === 'down')
    // The system's servers may have changed since they were read, on a laptop for one.
    if (down !== undefined) this.#resolver = this.#open()
    return down ?? answers[0]
  }

  async #query(name: string, family: 4 | 6): Promise<Finding> {
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
