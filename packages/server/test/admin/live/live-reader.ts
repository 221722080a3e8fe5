import { expect } from 'vitest'
import type { AdminServer } from '../admin-server.ts'

interface Message {
  /** Empty if the message has no id. */
  readonly id: string
  readonly name: string
  readonly data: Record<string, unknown>
}

/** A reader of the live tail on a real connection, which can disconnect and reconnect. */
export class LiveReader implements AsyncDisposable {
  /** Everything received on all connections. */
  text = ''
  hasEnded = false
  readonly #server: AdminServer
  readonly #path: string
  readonly #headers: Readonly<Record<string, string>>
  readonly #withoutToken: boolean
  #abort = new AbortController()
  #reading: Promise<void> = Promise.resolve()
  #hold: { readonly promise: Promise<void>; readonly resolve: () => void } | undefined

  private constructor(
    server: AdminServer,
    path: string,
    headers: Readonly<Record<string, string>>,
    withoutToken: boolean,
  ) {
    this.#server = server
    this.#path = path
    this.#headers = headers
    this.#withoutToken = withoutToken
  }

  static async open(
    server: AdminServer,
    query = '',
    headers: Readonly<Record<string, string>> = {},
    { withoutToken = false } = {},
  ): Promise<LiveReader> {
    const reader = new LiveReader(server, `/live${query}`, headers, withoutToken)
    await reader.#connect({})
    return reader
  }

  /** Disconnects, and reconnects after the last message. */
  async reconnect(): Promise<void> {
    this.#abort.abort()
    await this.#reading
    // An incomplete message at the end of a broken connection does not count.
    this.text = this.text.slice(0, this.text.lastIndexOf('\n\n') + 2)
    const lastId = [...this.text.matchAll(/^id: (.+)$/gm)].at(-1)?.[1]
    this.#abort = new AbortController()
    await this.#connect(lastId === undefined ? {} : { 'last-event-id': lastId })
  }

  /** Stops reading from the connection until `resume`. */
  pause(): void {
    this.#hold = Promise.withResolvers<void>()
  }

  resume(): void {
    this.#hold?.resolve()
    this.#hold = undefined
  }

  all(): Message[] {
    const blocks = [...this.text.matchAll(/(?:id: (.+)\n)?event: (.+)\ndata: (.+)\n\n/g)]
    return blocks.map(([, id, name, data]) => ({
      id: id ?? '',
      name: name!,
      data: JSON.parse(data!) as Record<string, unknown>,
    }))
  }

  async messages(count: number): Promise<Message[]> {
    await expect.poll(() => this.all().length).toBeGreaterThanOrEqual(count)
    return this.all()
  }

  async said(text: string): Promise<void> {
    await expect.poll(() => this.text).toContain(text)
  }

  async ended(): Promise<void> {
    await this.#reading
    expect(this.hasEnded).toBe(true)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.resume()
    this.#abort.abort()
    await this.#reading
  }

  async #connect(more: Readonly<Record<string, string>>): Promise<void> {
    const response = await this.#server.stream(this.#path, {
      headers: { ...this.#headers, ...more },
      withoutToken: this.#withoutToken,
      signal: this.#abort.signal,
    })
    this.#reading = this.#readAll(response).catch(() => undefined)
  }

  async #readAll(response: Response): Promise<void> {
    const decoder = new TextDecoder()
    for await (const chunk of response.body!) {
      this.text += decoder.decode(chunk, { stream: true })
      await this.#hold?.promise
    }
    this.hasEnded = true
  }
}
