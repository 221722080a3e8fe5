export interface AdapterOptions {
  readonly endpoint: string
  /** The maximum number of calls in a batch. Default: 20. */
  readonly flushAt?: number
  /** Default: an hour, so that the interval causes no flush during a check. */
  readonly flushAfterMs?: number
  /** Default: 3. */
  readonly maxRetries?: number
  /** The time limit of one request. Default: 10 seconds. */
  readonly timeoutMs?: number
}

/**
 * A client behind the interface of the suite. Each method calls the library's method and fails with the same errors: it throws if
 * the library runs in this process, and otherwise rejects.
 */
export interface AdaptedClient {
  track(event: string, properties?: object): void | Promise<unknown>
  /** Makes a call with the properties `{ cart: { items: 1 } }`, then sets `items` of the same object to 2. */
  trackThenChange(event: string): void | Promise<unknown>
  /** Rejects if the library has no flush. */
  flush(): Promise<unknown>
  /** Sends all calls and waits for the outcome: flushes, or closes a client that cannot flush. */
  sendAll(): Promise<unknown>
  close(timeoutMs?: number): Promise<unknown>
  /** The number of errors that the library has reported to its user, in any way. */
  readonly errors: number
  /** Kills the process of a client that runs in a separate process. */
  end?(): void
}

/** Creates clients of one library. */
export interface ClientAdapter {
  /** The name of the npm package or Go module. */
  readonly name: string
  readonly version: string
  create(options: AdapterOptions): AdaptedClient | Promise<AdaptedClient>
  /** The command that measures the effect of the client on its process; see `program.ts`. */
  program(part: 'idle' | 'flood', endpoint: string): Promise<readonly string[]>
}
