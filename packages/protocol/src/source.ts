import type { Fields } from './filter.ts'

/** A public credential of a source. */
export interface WriteKey {
  readonly key: string
  /** Milliseconds since the epoch. */
  readonly createdAt: number
}

/** The id of the built-in source, whose events are alerts about the service. */
export const BUILT_IN_SOURCE_ID = 'src_hookline'

/** An application or site that sends calls. */
export interface Source {
  /** `src_…` */
  readonly id: string
  readonly name: string
  readonly enabled: boolean
  /** The maximum number of calls per second on each node, or `null` for no limit. */
  readonly rateLimit: number | null
  readonly writeKeys: readonly WriteKey[]
  /** The sources of a space share one profile for each user. `DEFAULT_SPACE` if absent. */
  readonly space?: string
  /** Removes or hashes parts of the context, properties and traits of each call before it is stored. */
  readonly fields?: Fields
  readonly createdAt: number
  readonly updatedAt: number
  /** Incremented by every change. An update states the version it is based on. */
  readonly version: number
}
