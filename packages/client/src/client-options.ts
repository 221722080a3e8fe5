import type { ReportedError } from './errors.ts'

/** Receives the client's log lines. `console` and common loggers work. Exceptions do not affect the client. */
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
  /** The number of calls that starts a flush, and the maximum per batch: 1 to 2500. 1 disables batching. Default: 20. */
  readonly flushAt?: number | undefined
  /** An alias of `flushAt`. */
  readonly size?: number | undefined
  /** The time between flushes, in milliseconds. Default: 5000. */
  readonly flushAfter?: number | undefined
  /** The maximum size of a request, in bytes before compression. Default: 512,000. */
  readonly maxBatchBytes?: number | undefined
  /** The maximum size of a call, in bytes of JSON. Default: 32,768. */
  readonly maxMessageBytes?: number | undefined
  /** The maximum size of the queue, in bytes of JSON. Default: 67,108,864 (64 MiB). */
  readonly maxQueueBytes?: number | undefined
  /** The maximum number of calls in the queue. Default: 100,000. */
  readonly maxQueueMessages?: number | undefined
  /** Which call is dropped when the queue is full. With `'throw'`, the new call throws. Default: `'drop-newest'`. */
  readonly onFull?: 'drop-newest' | 'drop-oldest' | 'throw' | undefined
  /** The number of retries before a batch fails. The client waits at most 300 s before each. Default: 10. */
  readonly maxRetries?: number | undefined
  /** The timeout of one request, in milliseconds. Default: 10,000. */
  readonly timeoutMs?: number | undefined
  /** Whether to compress requests over 1 KiB, if the platform supports it. Default: true. */
  readonly gzip?: boolean | undefined
  /** Replaces the global `fetch`. */
  readonly fetch?: Fetch | undefined
  /** Additional request headers. They cannot replace the client's own. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly logger?: Logger | undefined
  /** Receives the failures that no method throws, and each burst of drops. If neither this nor `logger` is set, they go to `console.warn`. */
  readonly onError?: ((error: ReportedError) => void) | undefined
  /** If false, calls are validated but not sent. Default: true. */
  readonly enabled?: boolean | undefined
}
