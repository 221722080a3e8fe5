/** A background worker. */
export interface Worker {
  /** Its name in logs, metrics and health checks, for example `pipeline`. */
  readonly name: string
  /** Works until `signal` aborts. It may reject, and is then called again. */
  run(signal: AbortSignal): Promise<void>
}
