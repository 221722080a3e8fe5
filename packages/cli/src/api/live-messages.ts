export interface LiveMessage {
  readonly name: string
  readonly data: Readonly<Record<string, unknown>>
}

/** Parses a stream of server-sent events (WHATWG HTML §9.2), piece by piece. */
export class LiveMessages {
  /** Sent by a new connection to resume after the last message. */
  lastId: string | undefined
  #rest = ''

  /** Returns the messages that the next piece completes. */
  take(text: string): LiveMessage[] {
    const blocks = (this.#rest + text).split('\n\n')
    this.#rest = blocks.pop()!
    return blocks.flatMap((block) => this.#messageIn(block) ?? [])
  }

  /** Drops an incomplete message after the connection broke. */
  broken(): void {
    this.#rest = ''
  }

  #messageIn(block: string): LiveMessage | undefined {
    const fields = new Map(
      block.split('\n').map((line) => {
        const colon = line.indexOf(':')
        return [line.slice(0, colon), line.slice(colon + 1).trimStart()] as const
      }),
    )
    this.lastId = fields.get('id') ?? this.lastId
    const [name, data] = [fields.get('event'), fields.get('data')]
    if (name === undefined || data === undefined) return undefined
    return { name, data: JSON.parse(data) as Record<string, unknown> }
  }
}
