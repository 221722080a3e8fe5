import type { LookupAddress } from 'node:dns'
import { lookup } from 'node:dns/promises'

/** The system's resolver blocks one of libuv's four threads for each look-up, for seconds when DNS is down. */
const AT_ONCE = 2

/** Names as the system resolves them, with search domains and whatever else it is set up for; two at a time. */
export class SystemLookup {
  #free = AT_ONCE
  readonly #waiting: (() => void)[] = []

  /** @throws the error of `dns.lookup`, such as ENOTFOUND or EAI_AGAIN */
  async find(name: string): Promise<readonly LookupAddress[]> {
    await this.#enter()
    try {
      return await lookup(name, { all: true })
    } finally {
      this.#leave()
    }
  }

  #enter(): Promise<void> {
    if (this.#free > 0) {
      this.#free -= 1
      return Promise.resolve()
    }
    return new Promise((resolve) => this.#waiting.push(resolve))
  }

  #leave(): void {
    const next = this.#waiting.shift()
    if (next === undefined) this.#free += 1
    else next()
  }
}
