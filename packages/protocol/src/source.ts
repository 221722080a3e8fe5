/** A public credential of a source. */
export interface WriteKey {
  readonly key: string
  /** Milliseconds since the epoch. */
  readonly createdAt: number
}

/** An origin of events. */
export interface Source {
  /** `src_…` */
  readonly id: string
  readonly name: string
  readonly enabled: boolean
  /** Calls per second and node, or `null` for no limit. */
  readonly rateLimit: number | null
  readonly writeKeys: readonly WriteKey[]
  readonly createdAt: number
  readonly updatedAt: number
  /** Counts changes; a change names the version it was made from. */
  readonly version: number
}
