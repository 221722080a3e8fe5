import type { ReportedError } from './errors.ts'

/** Hears what the client says of itself. `console` is one, and so is any common logger. */
export interface Logger {
  debug(line: string): void
  warn(line: string): void
}

/** The part of `fetch` that the client uses. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>

/** What the constructor of `Analytics` takes. */
export interface ClientOptions {
  /** Where the service is; `/v1/batch` is appended. Default: `http://localhost:4800`. */
  readonly endpoint?: string | undefined
  /** Calls that make a flush, and that a batch has at most: 1 to 2500. 1 sends each call. Default: 20. */
  readonly flushAt?: number | undefined
  /** Another name of `flushAt`. */
  readonly size?: number | undefined
  /** Flush when so many milliseconds have passed since the last flush. Default: 5000. */
  readonly flushAfter?: number | undefined
  /** The largest request, in bytes before compression. Default: 512,000. */
  readonly maxBatchBytes?: number | undefined
  /** The largest call, in bytes of its JSON. Default: 32,768. */
  readonly maxMessageBytes?: number | undefined
  /** The bound of what waits, in bytes of JSON. Default: 67,108,864 (64 MB). */
  readonly maxQueueBytes?: number | undefined
  /** The bound of what waits, in calls. Default: 100,000. */
  readonly maxQueueMessages?: number | undefined
  /** What gives way when the queue is full. Default: `'drop-newest'`. */
  readonly onFull?: 'drop-newest' | 'drop-oldest' | 'throw' | undefined
  /** How often a batch is tried again before it fails. Default: 10. */
  readonly maxRetries?: number | undefined
  /** How long one try may take. Default: 10,000. */
  readonly timeoutMs?: number | undefined
  /** Whether bodies over 1 KiB are compressed, where the platform can. Default: true. */
  readonly gzip?: boolean | undefined
  /** Instead of the global one. */
  readonly fetch?: Fetch | undefined
  /** Headers to send besides the client's own. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly logger?: Logger | undefined
  /** Told of every message that failed, and of each burst of drops. Without it and `logger`, `console.warn` is. */
  readonly onError?: ((error: ReportedError) => void) | undefined
  /** false: calls are checked, and go nowhere. Default: true. */
  readonly enabled?: boolean | undefined
}
