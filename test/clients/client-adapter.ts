export interface DrivenOptions {
  readonly endpoint: string
  /** Calls in a batch. Default: 20. */
  readonly flushAt?: number
  /** Default: an hour, so that only what a check asks for is sent. */
  readonly flushAfterMs?: number
  /** Default: 3. */
  readonly maxRetries?: number
  /** Of one request. Default: 10 seconds. */
  readonly timeoutMs?: number
}

/** A client as the suite drives it. Each method does what the library's own does, and throws what it throws. */
export interface DrivenClient {
  track(event: string, properties?: object): void
  flush(): Promise<unknown>
  close(timeoutMs?: number): Promise<unknown>
  /** How often the library told its user that something went wrong, in whatever way it has. */
  readonly errors: number
}

/** Makes clients of one library. */
export interface ClientAdapter {
  /** The package, as npm has it. */
  readonly name: string
  readonly version: string
  create(options: DrivenOptions): DrivenClient
}
