import { SseParser } from '@hookline/protocol'

export interface LiveMessage {
  readonly name: string
  readonly data: Readonly<Record<string, unknown>>
}

/** Parses the messages of a live stream, across reconnections. */
export class LiveMessages {
  /** Sent when reconnecting, so that the stream resumes after the last message. */
  lastId: string | undefined
  #parser = new SseParser()

  /** Returns the messages that the next piece completes. */
  take(text: string): LiveMessage[] {
    const messages = this.#parser.push(text)
    if (this.#parser.lastId !== '') this.lastId = this.#parser.lastId
    return messages.map(({ name, data }) => ({
      name,
      data: JSON.parse(data) as Record<string, unknown>,
    }))
  }

  /** Drops an incomplete message after the connection has broken. */
  reset(): void {
    this.#parser = new SseParser()
  }
}
