export interface Worker {
  /** In logs, metrics and health checks, such as `pipeline`. */
  readonly name: string
  /** Works until `signal` aborts. After a rejection, it is called again. */
  run(signal: AbortSignal): Promise<void>
}
