export interface AdapterOptions {
  readonly endpoint: string
  /** The most calls of a batch. Default: 20. */
  readonly flushAt?: number
  /** Default: an hour, so that the client sends only when a check asks for it. */
  readonly flushAfterMs?: number
  /** Default: 3. */
  readonly maxRetries?: number
  /** The time limit of one request. Default: 10 seconds. */
  readonly timeoutMs?: number
}

/**
 * A client behind the interface of the suite. Each method calls that of the library and fails with the same errors: it
 * throws if the library runs in this process, else its promise rejects.
 */
export interface AdaptedClient {
  track(event: string, properties?: object): void | Promise<unknown>
  /** Makes a call with the properties `{ cart: { items: 1 } }`, and sets `items` of the same object to 2 after it. */
  trackThenChange(event: string): void | Promise<unknown>
  /** Rejects if the library has no flush. */
  flush(): Promise<unknown>
  /** Sends all calls and waits for the outcome, for checks of something else: flush, or close where there is no flush. */
  sendAll(): Promise<unknown>
  close(timeoutMs?: number): Promise<unknown>
  /** How many errors the library has reported to its user, in any way. */
  readonly errors: number
  /** Ends the process of the client, if it has one of its own. */
  end?(): void
}

/** Creates clients of one library. */
export interface ClientAdapter {
  /** The name of the npm package or of the Go module. */
  readonly name: string
  readonly version: string
  create(options: AdapterOptions): AdaptedClient | Promise<AdaptedClient>
  /** The command that measures the effect of the client on its process: `program.ts` says what the parts do. */
  program(part: 'idle' | 'flood', endpoint: string): Promise<readonly string[]>
}
