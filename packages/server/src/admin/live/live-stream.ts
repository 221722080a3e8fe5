import { formatTimestamp } from '@hookline/protocol'
import type { ServerResponse } from 'node:http'
import type { LiveCursor, LiveMessage } from '../../activity/live-cursor.ts'
import type { Clock } from '../../util/clock.ts'

const HEARTBEAT_MS = 15_000
/** The maximum number of messages that are in memory for one connection. */
const BATCH = 100

export interface LiveStreamOptions {
  readonly cursor: LiveCursor
  /** The id of the token of the reader. */
  readonly actorId: string
  readonly response: ServerResponse
  readonly clock: Clock
  /** Whether the token of the reader is still valid. */
  readonly isAllowed: () => boolean
  readonly onClose: () => void
}

/** One connection of the live tail. It reads from its cursor only while the socket has room. */
export class LiveStream {
  readonly #options: LiveStreamOptions
  #cancelHeartbeat: () => void = () => undefined
  #fullSince: number | undefined
  #isClosed = false

  constructor(options: LiveStreamOptions) {
    this.#options = options
    const { response, cursor } = options
    response.on('close', () => this.#close())
    response.on('drain', () => {
      this.#fullSince = undefined
      this.#pump()
    })
    cursor.onMore(() => this.#pump())
  }

  get actorId(): string {
    return this.#options.actorId
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
    const messages = this.#options.cursor.read(BATCH)
    if (messages.length === 0) return
    this.#write(messages.map(textOf).join(''))
    // The cursor calls back later, so that ingestion runs before the next batch.
    this.#options.cursor.wake()
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
        this.#write(`id: ${this.#options.cursor.lastId}\n: heartbeat\n\n`)
      this.#beatLater()
    })
  }

  #close(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#cancelHeartbeat()
    this.#options.cursor[Symbol.dispose]()
    this.#options.onClose()
  }
}

function textOf({ id, name, data }: LiveMessage): string {
  const shown = 'at' in data ? { ...data, at: formatTimestamp(data.at) } : data
  return `id: ${id}\nevent: ${name}\ndata: ${JSON.stringify(shown)}\n\n`
}
