import { sendTo } from '@hookline/testing/service/new-source'

const EVERY_MS = 50

/** Sends twenty calls per second until it is disposed of, and records the response times. */
export class CallsMeanwhile implements AsyncDisposable {
  /** In milliseconds. */
  readonly latencies: number[] = []
  readonly #timer: NodeJS.Timeout
  readonly #sending = new Set<Promise<void>>()

  constructor(url: string, writeKey: string) {
    this.#timer = setInterval(() => {
      const sending = this.#send(`${url}/v1/track`, writeKey).finally(() =>
        this.#sending.delete(sending),
      )
      this.#sending.add(sending)
    }, EVERY_MS)
  }

  async #send(url: string, writeKey: string): Promise<void> {
    const started = performance.now()
    const call = { userId: 'user-meanwhile', event: 'Product Viewed' }
    const { status, text } = await sendTo(url, writeKey, call)
    if (status !== 200) throw new Error(`Responded with ${status}: ${text}`)
    this.latencies.push(performance.now() - started)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer)
    await Promise.all(this.#sending)
  }
}
