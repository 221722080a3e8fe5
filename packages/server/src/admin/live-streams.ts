import { formatTimestamp } from '@hookline/protocol'
import type { ServerResponse } from 'node:http'
import type { LiveReader, StreamMessage } from '../activity/live-reader.ts'
import type { Logger } from '../telemetry/logger.ts'
import { LogThrottle } from '../util/limits/log-throttle.ts'
import type { Clock } from '../util/time/clock.ts'
import type { Actor } from './access/authenticate.ts'

/** A reader that has read nothing for so long, although there was something to read, gives way to another one. */
const UNREAD_MS = 5_000
const LOG_EVERY_MS = 60_000

/** The open connections of the live tail, of which there is a limited number. */
export class LiveStreams {
  readonly #most: number
  readonly #clock: Clock
  readonly #logger: Logger
  readonly #throttle: LogThrottle
  /** In the order in which they were opened. */
  readonly #open = new Set<LiveStream>()

  constructor(most: number, { clock, logger }: { readonly clock: Clock; readonly logger: Logger }) {
    this.#most = most
    this.#clock = clock
    this.#logger = logger
    this.#throttle = new LogThrottle(clock, LOG_EVERY_MS)
  }

  /**
   * Whether a reader may open another stream. At the limit, a stream gives way that reads nothing, or else the oldest one of a
   * token that has more streams than this one, its sessions included; among sessions of one token, of that with the most.
   * So no token keeps another from the live tail, and no session another one.
   */
  makesRoomFor(reader: Reader): boolean {
    if (this.#open.size < this.#most) return true
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

  /** Ends all of them. Their readers may reconnect. */
  end(): void {
    for (const stream of this.#open) stream.end()
  }

  #longestUnread(): LiveStream | undefined {
    const since = ({ unreadSince = Infinity }: LiveStream): number => unreadSince
    const first = [...this.#open].toSorted((a, b) => since(a) - since(b))[0]
    return first && this.#clock.now() - since(first) >= UNREAD_MS ? first : undefined
  }

  #oldestOfGreedier({ id, tokenId }: Reader): LiveStream | undefined {
    const byToken = Map.groupBy(this.#open, ({ actor }) => actor.tokenId)
    const own = byToken.get(tokenId) ?? []
    const most = largest(byToken)
    if (isGreedier(most, own)) return largest(bySession(most))[0]
    const sessions = bySession(own)
    const mostOfSession = largest(sessions)
    return isGreedier(mostOfSession, sessions.get(id) ?? []) ? mostOfSession[0] : undefined
  }

  #log({ actor }: LiveStream, reason: 'unread' | 'other_reader'): void {
    const streams = this.#throttle.count(`${reason} ${actor.id}`)
    if (streams > 0) this.#logger.warn({ tokenId: actor.id, reason, streams }, 'live.stream_ended')
  }
}

type Streams = readonly LiveStream[]

function bySession(streams: Streams): Map<string, LiveStream[]> {
  return Map.groupBy(streams, ({ actor }) => actor.id)
}

function largest(groups: ReadonlyMap<string, Streams>): Streams {
  return [...groups.values()].toSorted((a, b) => b.length - a.length)[0] ?? []
}

/** With one stream of difference, the two would end each other's streams in turn. */
function isGreedier(others: Streams, own: Streams): boolean {
  return others.length > own.length + 1
}

const HEARTBEAT_MS = 15_000
/** The maximum number of messages of a topic that are in memory for one connection. */
const BATCH = 100

/** A token, or a session and the token that opened it. */
type Reader = Pick<Actor, 'id' | 'tokenId'>

interface LiveStreamOptions {
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
