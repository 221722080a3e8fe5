export interface SseMessage {
  readonly id: string
  readonly name: string
  readonly data: string
}

/** Parses server-sent events (WHATWG HTML §9.2.6) from chunks of text. Lines must end with a line feed. */
export class SseParser {
  #rest = ''
  #id = ''
  #lastId = ''
  #name = ''
  #data: string[] = []

  /** The id of the last complete message or heartbeat. */
  get lastId(): string {
    return this.#lastId
  }

  push(chunk: string): SseMessage[] {
    const lines = (this.#rest + chunk).split('\n')
    this.#rest = lines.pop() ?? ''
    return lines.flatMap((line) => this.#line(line))
  }

  #line(line: string): SseMessage[] {
    if (line === '') return this.#end()
    const colon = line.indexOf(':')
    const field = colon === -1 ? line : line.slice(0, colon)
    const value = colon === -1 ? '' : line.slice(colon + 1).replace(/^ /, '')
    if (field === 'id') this.#id = value
    else if (field === 'event') this.#name = value
    else if (field === 'data') this.#data.push(value)
    return []
  }

  #end(): SseMessage[] {
    const [name, data] = [this.#name, this.#data]
    this.#name = ''
    this.#data = []
    this.#lastId = this.#id
    return data.length === 0 ? [] : [{ id: this.#id, name, data: data.join('\n') }]
  }
}
