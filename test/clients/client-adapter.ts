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

/** A client behind the interface of the suite. Each method calls that of the library and throws the same errors. */
export interface AdaptedClient {
  track(event: string, properties?: object): void
  flush(): Promise<unknown>
  close(timeoutMs?: number): Promise<unknown>
  /** How many errors the library has reported to its user, in any way. */
  readonly errors: number
}

/** Creates clients of one library. */
export interface ClientAdapter {
  /** The name of the npm package. */
  readonly name: string
  readonly version: string
  create(options: AdapterOptions): AdaptedClient
}
