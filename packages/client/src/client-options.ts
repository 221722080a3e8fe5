import type { ReportedError } from './errors.ts'

/** Receives the log lines of the client. `console` and the common loggers fit. What it throws does not reach the client. */
export interface Logger {
  debug(line: string): void
  warn(line: string): void
}

/** The part of `fetch` that the client uses. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>

/** The options of `Analytics`. */
export interface ClientOptions {
  /** The base URL of the service; the client appends `/v1/batch`. Default: `http://localhost:4800`. */
  readonly endpoint?: string | undefined
  /** How many calls start a flush, and the most calls of a batch: 1 to 2500. 1 sends each call. Default: 20. */
  readonly flushAt?: number | undefined
  /** Another name of `flushAt`. */
  readonly size?: number | undefined
  /** Flush this many milliseconds after the last flush. Default: 5000. */
  readonly flushAfter?: number | undefined
  /** The largest request, in bytes before compression. Default: 512,000. */
  readonly maxBatchBytes?: number | undefined
  /** The largest call, in bytes of its JSON. Default: 32,768. */
  readonly maxMessageBytes?: number | undefined
  /** The most that the queue takes, in bytes of JSON. Default: 67,108,864 (64 MB). */
  readonly maxQueueBytes?: number | undefined
  /** The most that the queue takes, in calls. Default: 100,000. */
  readonly maxQueueMessages?: number | undefined
  /** Which call is dropped when the queue is full; `'throw'`: none, the new call throws. Default: `'drop-newest'`. */
  readonly onFull?: 'drop-newest' | 'drop-oldest' | 'throw' | undefined
  /** How often the client retries a batch before it fails. It waits at most 300 s each time. Default: 10. */
  readonly maxRetries?: number | undefined
  /** The time limit of one request. Default: 10,000. */
  readonly timeoutMs?: number | undefined
  /** Whether to compress requests over 1 KiB, if the platform can. Default: true. */
  readonly gzip?: boolean | undefined
  /** Replaces the global `fetch`. */
  readonly fetch?: Fetch | undefined
  /** Additional request headers. They cannot replace the client's own. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly logger?: Logger | undefined
  /** Receives every failure and each burst of drops. Without it and `logger`, they go to `console.warn`. */
  readonly onError?: ((error: ReportedError) => void) | undefined
  /** If false, calls are validated but not sent. Default: true. */
  readonly enabled?: boolean | undefined
}
