import { formatTimestamp } from '@hookline/protocol'
import type { ServerResponse } from 'node:http'
import type { LiveReader, StreamMessage } from '../activity/live-reader.ts'
import type { Logger } from '../telemetry/logger.ts'
import { LogThrottle } from '../util/limits/log-throttle.ts'
import type { Clock } from '../util/time/clock.ts'
import type { Actor } from './access/authenticate.ts'

/** A stream unread for this long may be closed to make room for another. */
const UNREAD_MS = 5_000
const LOG_EVERY_MS = 60_000

interface LiveStreamsOptions {
  readonly maxLiveStreams: number
  readonly clock: Clock
  readonly logger: Logger
}

/** The open streams of the live tail. Their number is limited. */
export class LiveStreams {
  readonly #options: LiveStreamsOptions
  readonly #throttle: LogThrottle
  /** In the order in which they were opened. */
  readonly #open = new Set<LiveStream>()

  constructor(options: LiveStreamsOptions) {
    this.#options = options
    this.#throttle = new LogThrottle(options.clock, LOG_EVERY_MS)
  }

  /**
   * Makes room for another stream of a reader. At the limit, closes one stream, in this order of preference: the one that has been
   * unread longest, if for at least 5 s; a stream of the token with the most streams, if it has at least two more than the
   * reader's token; a stream of the session with the most streams, among the sessions of the reader's token, if it has at least two
   * more than the reader's session. Returns false if no stream qualifies.
   */
  makeRoomFor(reader: Reader): boolean {
    if (this.#open.size < this.#options.maxLiveStreams) return true
    const unread = this.#longestUnread()
    const other = unread ?? this.#oldestOfGreedier(reader)
    if (other === undefined) return false
    this.#log(other, unread ? 'unread' : 'other_reader')
    if (unread) unread.cut()
    else other.end()
    return true
  }

  add(stream: LiveStream): void {
    this.#open.add(stream)
  }

  remove(stream: LiveStream): void {
    this.#open.delete(stream)
  }

  /** Ends all streams. Readers may reconnect. */
  end(): void {
    for (const stream of this.#open) stream.end()
  }

  #longestUnread(): LiveStream | undefined {
    const since = ({ unreadSince = Infinity }: LiveStream): number => unreadSince
    const [first] = [...this.#open].toSorted((a, b) => since(a) - since(b))
    return first && this.#options.clock.now() - since(first) >= UNREAD_MS ? first : undefined
  }

  #oldestOfGreedier({ id, tokenId }: Reader): LiveStream | undefined {
    const byToken = Map.groupBy(this.#open, ({ actor }) => actor.tokenId)
    const own = byToken.get(tokenId) ?? []
    const largestGroup = largest(byToken)
    if (isGreedier(largestGroup, own)) return largest(bySession(largestGroup))[0]
    const sessions = bySession(own)
    const largestOfSession = largest(sessions)
    return isGreedier(largestOfSession, sessions.get(id) ?? []) ? largestOfSession[0] : undefined
  }

  #log({ actor }: LiveStream, reason: 'unread' | 'other_reader'): void {
    const { logger } = this.#options
    this.#throttle.count(`${reason} ${actor.id}`, (streams) =>
      logger.warn({ tokenId: actor.id, reason, streams }, 'live.stream_ended'),
    )
  }
}

type Streams = readonly LiveStream[]

function bySession(streams: Streams): Map<string, LiveStream[]> {
  return Map.groupBy(streams, ({ actor }) => actor.id)
}

function largest(groups: ReadonlyMap<string, Streams>): Streams {
  return [...groups.values()].toSorted((a, b) => b.length - a.length)[0] ?? []
}

/** With a difference of one stream, two readers would keep closing each other's streams. */
function isGreedier(others: Streams, own: Streams): boolean {
  return others.length > own.length + 1
}

const HEARTBEAT_MS = 15_000
/** The maximum number of messages per write. */
const BATCH = 100

type Reader = Pick<Actor, 'id' | 'tokenId'>

interface LiveStreamOptions {
  readonly reader: LiveReader
  readonly actor: Reader
  readonly response: ServerResponse
  readonly clock: Clock
  /** Whether the reader's token is still valid. */
  readonly isAllowed: () => boolean
  readonly onClose: () => void
}

/** A connection to the live tail. Reads messages only while the socket has room. */
export class LiveStream {
  readonly #options: LiveStreamOptions
  #cancelHeartbeat: () => void = () => undefined
  #unreadSince: number | undefined
  #isClosed = false

  constructor(options: LiveStreamOptions) {
    this.#options = options
    const { response, reader } = options
    response.on('close', () => this.#close())
    response.on('drain', () => {
      this.#unreadSince = undefined
      this.#pump()
    })
    reader.onMore(() => this.#pump())
  }

  get actor(): Reader {
    return this.#options.actor
  }

  /** When the socket became full; `undefined` if it has room. */
  get unreadSince(): number | undefined {
    return this.#unreadSince
  }

  start(): void {
    this.#options.response.writeHead(200, {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
    })
    this.#write('retry: 1000\n\n')
    this.#scheduleHeartbeat()
    this.#pump()
  }

  /** Ends the stream. The reader may reconnect. */
  end(): void {
    this.#options.response.end()
    this.#close()
  }

  /** Closes the connection and drops unread messages. */
  cut(): void {
    this.#options.response.socket?.resetAndDestroy()
    this.#close()
  }

  #pump(): void {
    if (this.#unreadSince !== undefined || this.#isClosed) return
    const messages = this.#options.reader.read(BATCH)
    if (messages.length === 0) return
    this.#write(messages.map(textOf).join(''))
    // Calls back later, so that ingestion runs before the next batch.
    this.#options.reader.wake()
  }

  #write(text: string): void {
    const { response, clock } = this.#options
    if (!response.write(text)) this.#unreadSince ??= clock.now()
  }

  #scheduleHeartbeat(): void {
    this.#cancelHeartbeat = this.#options.clock.after(HEARTBEAT_MS, () => {
      if (!this.#options.isAllowed()) return this.end()
      // With the last id, so that a reader with a narrow filter can reconnect without a gap.
      if (this.#unreadSince === undefined)
        this.#write(`${idLine(this.#options.reader.lastId)}: heartbeat\n\n`)
      this.#scheduleHeartbeat()
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

/** Cached, since most messages have several readers. */
const cache = new WeakMap<StreamMessage['data'], string>()

function jsonOf(data: StreamMessage['data']): string {
  const cached = cache.get(data)
  if (cached !== undefined) return cached
  const json = JSON.stringify('at' in data ? { ...data, at: formatTimestamp(data.at) } : data)
  cache.set(data, json)
  return json
}

function idLine(id: string | undefined): string {
  return id === undefined ? '' : `id: ${id}\n`
}
