/** One setting of the service, with what may be shown of it. */
export interface ShownSetting {
  readonly name: string
  readonly flag: string
  readonly variable: string
  /** `null` where it is not set, and for a secret. */
  readonly value: string | null
  /** Whether it has a value, its default included. */
  readonly isSet: boolean
  readonly default: string | null
  /** `null` where the program that runs the service has not told it. */
  readonly origin: {
    readonly kind: string
    readonly name?: string | undefined
    readonly key?: string | undefined
  } | null
  readonly isSecret: boolean
  /** Its value names a path, a host or a network. */
  readonly isPlace: boolean
  readonly help: string
}

/** The result of the checks of `/readyz`. */
export interface Readiness {
  readonly status: 'ok' | 'unavailable'
  readonly checks: Readonly<
    Record<
      string,
      { readonly ok: boolean; readonly note?: string | undefined; readonly reason?: string }
    >
  >
}

/** What the process knows of itself. */
export interface SystemDeps {
  readonly version: string
  readonly backend: string
  /** When it started: a time of `Clock.now`. */
  readonly startedAt: number
  /** The port that takes calls; `null` where it is the port of the management API, too. */
  readonly callsPort: number | null
  readonly dataDir: string
  readonly retentionMs: number
  readonly retentionMaxBytes: number
  readonly settings: readonly ShownSetting[]
  /** Makes the checks of `/readyz`, which write to the disk. */
  readonly readiness: () => Promise<Readiness>
  /** The last error of each failing worker, by its name. */
  readonly failingWorkers: () => Promise<ReadonlyMap<string, string>>
}
