import { formatTimestamp } from '@hookline/protocol'
import type { ServerResponse } from 'node:http'
import type { LiveReader, StreamMessage } from '../../activity/live-reader.ts'
import type { Clock } from '../../util/time/clock.ts'
import type { Actor } from '../access/authenticate.ts'

const HEARTBEAT_MS = 15_000
/** The maximum number of messages of a topic that are in memory for one connection. */
const BATCH = 100

/** A token, or a session and the token that opened it. */
export type Reader = Pick<Actor, 'id' | 'tokenId'>

export interface LiveStreamOptions {
  readonly reader: LiveReader
  /** Who reads. */
  readonly actor: Reader
  readonly response: ServerResponse
  readonly clock: Clock
  /** Whether the token of the reader is still valid. */
  readonly isAllowed: () => boolean
  readonly onClose: () => void
}

/** One connection of the stream. It takes from its reader only while the socket has room. */
export class LiveStream {
  readonly #options: LiveStreamOptions
  #cancelHeartbeat: () => void = () => undefined
  #fullSince: number | undefined
  #isClosed = false

  constructor(options: LiveStreamOptions) {
    this.#options = options
    const { response, reader } = options
    response.on('close', () => this.#close())
    response.on('drain', () => {
      this.#fullSince = undefined
      this.#pump()
    })
    reader.onMore(() => this.#pump())
  }

  get actor(): Reader {
    return this.#options.actor
  }

  /** Since when the reader has read nothing of what waits for it; `undefined` where nothing waits. */
  get unreadSince(): number | undefined {
    return this.#fullSince
  }

  start(): void {
    this.#options.response.writeHead(200, {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
    })
    this.#write('retry: 1000\n\n')
    this.#beatLater()
    this.#pump()
  }

  /** Ends the stream. The reader may reconnect. */
  end(): void {
    this.#options.response.end()
    this.#close()
  }

  /** Closes the connection of a reader that reads nothing. What waits for it is dropped. */
  cut(): void {
    this.#options.response.socket?.resetAndDestroy()
    this.#close()
  }

  #pump(): void {
    if (this.#fullSince !== undefined || this.#isClosed) return
    const messages = this.#options.reader.read(BATCH)
    if (messages.length === 0) return
    this.#write(messages.map(textOf).join(''))
    // The reader calls back later, so that ingestion runs before the next batch.
    this.#options.reader.wake()
  }

  #write(text: string): void {
    const { response, clock } = this.#options
    if (!response.write(text)) this.#fullSince ??= clock.now()
  }

  #beatLater(): void {
    this.#cancelHeartbeat = this.#options.clock.after(HEARTBEAT_MS, () => {
      if (!this.#options.isAllowed()) return this.end()
      // The heartbeat carries the last id, so that a reader with a narrow filter can reconnect without a gap.
      if (this.#fullSince === undefined)
        this.#write(`${idLine(this.#options.reader.lastId)}: heartbeat\n\n`)
      this.#beatLater()
    })
  }

  #close(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#cancelHeartbeat()
    this.#options.reader[Symbol.dispose]()
    this.#options.onClose()
  }
}

function textOf({ id, name, data }: StreamMessage): string {
  return `${idLine(id)}event: ${name}\ndata: ${jsonOf(data)}\n\n`
}

/** What was sent already: most messages go to several readers. */
const sent = new WeakMap<StreamMessage['data'], string>()

function jsonOf(data: StreamMessage['data']): string {
  const known = sent.get(data)
  if (known !== undefined) return known
  const json = JSON.stringify('at' in data ? { ...data, at: formatTimestamp(data.at) } : data)
  sent.set(data, json)
  return json
}

/** A message without an id leaves the last id of the reader as it is. */
function idLine(id: string | undefined): string {
  return id === undefined ? '' : `id: ${id}\n`
}
