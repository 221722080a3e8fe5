import { onTestFinished } from 'vitest'
import type { RunningService } from '@hookline/testing/service/running-service'

export interface StreamMessage {
  readonly id: string
  readonly name: string
  readonly data: Readonly<Record<string, unknown>>
}

/** A reader of `/live` on one node. */
export class LiveStream {
  readonly messages: StreamMessage[] = []
  readonly #abort = new AbortController()
  #text = ''
  #reading: Promise<void> = Promise.resolve()

  static async open(
    service: RunningService,
    { query = '', lastId }: { readonly query?: string; readonly lastId?: string | undefined } = {},
  ): Promise<LiveStream> {
    const stream = new LiveStream()
    const response = await fetch(`${service.url}/api/v1/live${query}`, {
      headers: {
        authorization: `Bearer ${service.token}`,
        ...(lastId !== undefined && { 'last-event-id': lastId }),
      },
      signal: stream.#abort.signal,
    })
    stream.#reading = stream.#read(response).catch(() => undefined)
    onTestFinished(() => stream.close())
    return stream
  }

  get lastId(): string | undefined {
    return this.messages.at(-1)?.id
  }

  /** `event evt_…`, `decision evt_…`, `attempt evt_…`, or the name of the message. */
  get texts(): readonly string[] {
    return this.messages.map(({ name, data }) =>
      'eventId' in data ? `${name} ${String(data['eventId'])}` : name,
    )
  }

  async close(): Promise<void> {
    this.#abort.abort()
    await this.#reading
  }

  async #read(response: Response): Promise<void> {
    const decoder = new TextDecoder()
    for await (const chunk of response.body!) {
      this.#text += decoder.decode(chunk, { stream: true })
      for (let end; (end = this.#text.indexOf('\n\n')) !== -1;) {
        const message = messageOf(this.#text.slice(0, end))
        this.#text = this.#text.slice(end + 2)
        if (message !== undefined) this.messages.push(message)
      }
    }
  }
}

function messageOf(block: string): StreamMessage | undefined {
  const field = (name: string): string | undefined =>
    new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1]
  const [id = '', name, data] = [field('id'), field('event'), field('data')]
  if (name === undefined || data === undefined) return undefined
  return { id, name, data: JSON.parse(data) as StreamMessage['data'] }
}
