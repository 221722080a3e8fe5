/** Work that goes on in the background. */
export interface Worker {
  /** Names it in log, metrics and health checks, for example `pipeline`. */
  readonly name: string
  /** Works until `signal` aborts. It may reject, and may be called again then. */
  run(signal: AbortSignal): Promise<void>
}
