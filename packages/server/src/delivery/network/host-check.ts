import { INSPECTOR_HOST } from '@hookline/protocol'
import { isIP } from 'node:net'
import type { Clock } from '../../util/time/clock.ts'
import type { AddressGuard } from './address-guard.ts'
import { Deadline } from './deadline.ts'
import { AddressForbidden, NameUnresolved } from './network-errors.ts'
import type { Resolver } from './resolver.ts'

/** A look-up that takes longer tells nothing: the caller waits for it, and the delivery looks up again. */
const LOOKUP_MS = 1_000

/** Why webhooks of a host get nothing at the moment. `why` completes "is …". */
export type HostProblem =
  | { readonly kind: 'forbidden'; readonly address: string; readonly why: string }
  | { readonly kind: 'unresolved' }

export interface HostCheckOptions {
  readonly clock: Clock
  readonly guard: AddressGuard
  readonly resolver: Pick<Resolver, 'lookup'>
  /** Whether connections go through a proxy, which often knows names that this machine does not. */
  readonly isBehindProxy: boolean
}

/** Tells before a delivery whether the host of a webhook may be reached, with the guard and the look-ups of deliveries. */
export class HostCheck {
  readonly #options: HostCheckOptions

  constructor(options: HostCheckOptions) {
    this.#options = options
  }

  /** What is wrong with a host, a name or an address. Resolves within a second, and never rejects. */
  async problemOf(host: string): Promise<HostProblem | undefined> {
    const { clock, guard, resolver, isBehindProxy } = this.#options
    // It needs no address: the sender connects it by itself.
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
      if (error instanceof AddressForbidden) {
        return { kind: 'forbidden', address: error.address, why: error.why }
      }
      // A look-up that is late may still succeed: that is no reason to warn.
      return error instanceof NameUnresolved && !isBehindProxy ? { kind: 'unresolved' } : undefined
    }
  }
}
