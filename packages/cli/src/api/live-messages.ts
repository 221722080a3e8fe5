/** One message of the live tail. */
export interface LiveMessage {
  readonly name: string
  readonly data: Readonly<Record<string, unknown>>
}

/** What a stream of server-sent events said so far. */
export class LiveMessages {
  /** The id to go on from after a break. */
  lastId: string | undefined
  #rest = ''

  /** The messages that are whole with this text. Comments are none. */
  take(text: string): LiveMessage[] {
    const blocks = (this.#rest + text).split('\n\n')
    this.#rest = blocks.pop()!
    return blocks.flatMap((block) => this.#messageIn(block) ?? [])
  }

  /** The connection broke: what came of a message that is not whole counts for nothing. */
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
