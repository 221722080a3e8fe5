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
  /** The most calls per second and node, or `null` for no limit. */
  readonly rateLimit: number | null
  readonly writeKeys: readonly WriteKey[]
  /** Sources of one space have one profile for each user. Absent: `DEFAULT_SPACE`. */
  readonly space?: string
  readonly createdAt: number
  readonly updatedAt: number
  /** Counts changes. A change names the version it is based on. */
  readonly version: number
}
