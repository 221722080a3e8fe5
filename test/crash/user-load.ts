const USERS = 150
const SENDERS = 3
const BATCH = 10

/** Sends identify and track calls from some users, who constantly enter and leave audiences. */
export class UserLoad {
  /** The number of batches that got a 200. */
  accepted = 0
  readonly #random: () => number

  /** @param random uniform in [0, 1) */
  constructor(random: () => number) {
    this.#random = random
  }

  /** Sends until `signal` aborts. */
  async run(url: string, writeKey: string, signal: AbortSignal): Promise<void> {
    const senders = Array.from({ length: SENDERS }, async () => {
      while (!signal.aborted) await this.#send(url, writeKey, signal)
    })
    await Promise.all(senders)
  }

  #call(): object {
    const userId = `u${Math.floor(this.#random() * USERS)}`
    if (this.#random() < 0.5) return { type: 'track', event: 'Order', userId }
    const plan = this.#random() < 0.5 ? 'pro' : 'free'
    return { type: 'identify', userId, traits: { plan } }
  }

  async #send(url: string, writeKey: string, signal: AbortSignal): Promise<void> {
    const batch = Array.from({ length: BATCH }, () => this.#call())
    try {
      const response = await fetch(`${url}/v1/batch`, {
        method: 'POST',
        headers: { authorization: `Basic ${btoa(`${writeKey}:`)}` },
        body: JSON.stringify({ batch }),
        signal,
      })
      if (response.status === 200) this.accepted++
      await response.arrayBuffer()
    } catch {
      // The service was killed or is not ready yet.
    }
  }
}
