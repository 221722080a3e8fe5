import type { Logger } from '../../telemetry/logger.ts'
import type { Clock } from '../../util/time/clock.ts'
import { LogThrottle } from '../../util/limits/log-throttle.ts'
import type { LiveStream, Reader } from './live-stream.ts'

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
