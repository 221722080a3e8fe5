import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'

const SENDERS = 8

/** Sends calls continuously, and collects the messageIds accepted with 200, which the service must never lose. */
export class Load {
  readonly accepted = new Set<string>()
  #sent = 0
  readonly #random: () => number
  readonly #maxNoteBytes: number
  readonly #pauseMs: number

  /**
   * @param random chooses the sizes, uniform over [0, 1)
   * @param pauseMs the pause of each sender after a request
   */
  constructor(random: () => number, { maxNoteBytes = 500, pauseMs = 0 } = {}) {
    this.#random = random
    this.#maxNoteBytes = maxNoteBytes
    this.#pauseMs = pauseMs
  }

  get sent(): number {
    return this.#sent
  }

  /** Sends until `signal` aborts. A call without a response does not count as accepted. */
  async run(url: string, writeKey: string, signal: AbortSignal): Promise<void> {
    const senders = Array.from({ length: SENDERS }, async () => {
      while (!signal.aborted) {
        await this.#send(url, writeKey, signal)
        if (this.#pauseMs > 0) await sleep(this.#pauseMs)
      }
    })
    await Promise.all(senders)
  }

  async #send(url: string, writeKey: string, signal: AbortSignal): Promise<void> {
    const count = this.#random() < 0.5 ? 1 : 1 + Math.floor(this.#random() * 20)
    const note = (): string => 'x'.repeat(Math.floor(this.#random() * this.#maxNoteBytes))
    const batch = Array.from({ length: count }, () => ({
      type: 'track',
      event: 'Order Completed',
      userId: 'u1',
      messageId: randomUUID(),
      properties: { revenue: this.#random(), note: note() },
    }))
    this.#sent += count
    try {
      const response = await fetch(`${url}/v1/batch`, {
        method: 'POST',
        headers: { authorization: `Basic ${btoa(`${writeKey}:`)}` },
        body: JSON.stringify({ batch }),
        signal,
      })
      // Only the status matters, because the kill may cut off the body.
      if (response.status === 200) for (const { messageId } of batch) this.accepted.add(messageId)
      await response.arrayBuffer()
    } catch {
      // The service was killed or is not ready yet: these calls do not count as accepted.
    }
  }
}
