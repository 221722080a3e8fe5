import type { Compute, Condition } from './condition.ts'

/** The common fields of audiences and computed traits: a value for each profile, sent as a trait when it changes. */
interface ComputationRecord {
  /** The space whose profiles are evaluated. */
  readonly space: string
  readonly name: string
  /** The name of the trait that is sent: snake_case of the original name. Unique in the space, and never changes. */
  readonly key: string
  /** Where changes are sent. */
  readonly destinationIds: readonly string[]
  readonly enabled: boolean
  readonly createdAt: number
  readonly updatedAt: number
  /** Incremented by every change. An update states the version it is based on. */
  readonly version: number
}

/** A group of users. The value of its trait is `true` for members, and `false` for users who were members. */
export interface Audience extends ComputationRecord {
  /** `aud_…` */
  readonly id: string
  readonly kind: 'audience'
  /** Who belongs to it; `null` for a manual audience, which is a list of users. */
  readonly condition: Condition | null
}

/** A trait that is computed from a user's events. */
export interface ComputedTrait extends ComputationRecord {
  /** `trt_…` */
  readonly id: string
  readonly kind: 'trait'
  readonly compute: Compute
}

export type Computation = Audience | ComputedTrait

/** The space of sources that are not assigned to another. */
export const DEFAULT_SPACE = 'default'
