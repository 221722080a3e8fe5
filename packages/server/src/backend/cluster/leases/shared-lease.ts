import type { Lease } from '../../leases.ts'

/**
 * A lease of this node, which several of its workers use. It is asked for while at least one of them wants it, and given up
 * with the last one.
 */
export class SharedLease {
  readonly #stop = new AbortController()
  readonly #lease: Promise<Lease | undefined>
  #users = 0
  #isOver = false

  /** @param acquire resolves to `undefined` when the signal aborts first */
  constructor(acquire: (signal: AbortSignal) => Promise<Lease | undefined>) {
    this.#lease = acquire(this.#stop.signal)
    this.#lease.then(
      (lease) => lease?.lost.addEventListener('abort', () => (this.#isOver = true)),
      () => (this.#isOver = true),
    )
  }

  /** It was lost, given up, or could not be asked for: whoever wants it begins with another one. */
  get isLost(): boolean {
    return this.#isOver
  }

  /** Resolves when the node has it, or to `undefined` when `signal` aborts first. */
  async join(signal: AbortSignal): Promise<Lease | undefined> {
    this.#users++
    let leaving: Promise<void> | undefined
    const leave = (): Promise<void> => (leaving ??= this.#leave())
    try {
      const lease = await Promise.race([this.#lease, abortOf(signal)])
      if (lease !== undefined) return { lost: lease.lost, [Symbol.asyncDispose]: leave }
    } catch (error) {
      await leave()
      throw error
    }
    await leave()
    return undefined
  }

  async #leave(): Promise<void> {
    if (--this.#users > 0) return
    this.#isOver = true
    this.#stop.abort()
    const lease = await this.#lease.catch(() => undefined)
    await lease?.[Symbol.asyncDispose]()
  }
}

function abortOf(signal: AbortSignal): Promise<undefined> {
  if (signal.aborted) return Promise.resolve(undefined)
  const { promise, resolve } = Promise.withResolvers<undefined>()
  signal.addEventListener('abort', () => resolve(undefined), { once: true })
  return promise
}
