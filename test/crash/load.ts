import { randomUUID } from 'node:crypto'

/** How many requests are under way at any time. */
const SENDERS = 8

/**
 * Calls sent as fast as they are answered, and the messageIds of those the service answered 200 for:
 * what it promised never to lose.
 */
export class Load {
  readonly promised = new Set<string>()
  #sent = 0
  readonly #random: () => number

  /** @param random decides sizes and kinds, evenly over [0, 1) */
  constructor(random: () => number) {
    this.#random = random
  }

  get sent(): number {
    return this.#sent
  }

  /** Sends until `signal` aborts. A call whose answer never came was promised nothing. */
  async run(url: string, writeKey: string, signal: AbortSignal): Promise<void> {
    const senders = Array.from({ length: SENDERS }, async () => {
      while (!signal.aborted) await this.#send(url, writeKey, signal)
    })
    await Promise.all(senders)
  }

  async #send(url: string, writeKey: string, signal: AbortSignal): Promise<void> {
    const count = this.#random() < 0.5 ? 1 : 1 + Math.floor(this.#random() * 20)
    const batch = Array.from({ length: count }, () => ({
      type: 'track',
      event: 'Order Completed',
      userId: 'u1',
      messageId: randomUUID(),
      properties: { revenue: this.#random(), note: 'x'.repeat(Math.floor(this.#random() * 500)) },
    }))
    this.#sent += count
    try {
      const answer = await fetch(`${url}/v1/batch`, {
        method: 'POST',
        headers: { authorization: `Basic ${btoa(`${writeKey}:`)}` },
        body: JSON.stringify({ batch }),
        signal,
      })
      // The status alone is the promise: a body cut off by the kill takes nothing back.
      if (answer.status === 200) for (const { messageId } of batch) this.promised.add(messageId)
      await answer.arrayBuffer()
    } catch {
      // Killed meanwhile, or not up yet: the sender knows nothing and was promised nothing.
    }
  }
}
