import type { EventType } from '../event.ts'
import type { Json } from '../json.ts'

/** How a value is compared. `OPERATOR_TABLE` defines each operator, including for missing and mistyped values. */
export const OPERATORS = [
  'equals',
  'not_equals',
  '<',
  '<=',
  '>',
  '>=',
  'contains',
  'not_contains',
  'starts_with',
  'ends_with',
  'exists',
  'not_exists',
  'one_of',
  'before',
  'after',
  'within_last_days',
] as const

export type Operator = (typeof OPERATORS)[number]

/** How a number of events is compared. */
export const COUNT_OPERATORS = ['==', '!=', '<', '<=', '>', '>='] as const

export type CountOperator = (typeof COUNT_OPERATORS)[number]

/** A comparison. `exists` and `not_exists` have no value. */
export interface Comparison {
  readonly op: Operator
  readonly value?: Json
}

/** A condition on a property of an event: `address.city` is a path. */
export interface PropertyFilter extends Comparison {
  readonly property: string
}

/** The units of a duration, in milliseconds. */
export const DURATION_UNITS = {
  days: 24 * 60 * 60 * 1000,
  hours: 60 * 60 * 1000,
  minutes: 60 * 1000,
  seconds: 1000,
} as const satisfies Required<{ readonly [Unit in keyof Duration]: number }>

/** A length of time: exactly one of the members, a whole number. */
export interface Duration {
  readonly days?: number
  readonly hours?: number
  readonly minutes?: number
  readonly seconds?: number
}

/** When an event must have happened: in a sliding window that ends now, in a fixed window, or at any time if neither is set. */
export interface Window {
  readonly within?: Duration
  /** Two timestamps: the first is inclusive, the second exclusive. */
  readonly between?: readonly [from: string, to: string]
}

/** Selects track events named `event` or, with `type`, calls of that type, optionally by `name`. */
export interface EventSelection {
  readonly event?: string
  readonly type?: Exclude<EventType, 'track'>
  readonly name?: string
  /** All of them must hold. */
  readonly where?: readonly PropertyFilter[]
}

/** Counts the user's events. Without `count`, at least one is required. */
export interface EventClause extends EventSelection, Window {
  readonly count?: { readonly op: CountOperator; readonly n: number }
}

/** Compares a trait of the profile: `address.city` is a path. */
export interface TraitClause extends Comparison {
  readonly trait: string
}

/** Compares the value of a computed trait, by its key. */
export interface ComputedTraitClause extends Comparison {
  readonly computedTrait: string
}

/** Whether the user is a member of another audience, by its id. */
export interface AudienceClause {
  readonly audience: string
}

export type Clause = TraitClause | EventClause | ComputedTraitClause | AudienceClause

/** Who belongs to an audience. */
export type Condition =
  | { readonly and: readonly Condition[] }
  | { readonly or: readonly Condition[] }
  | { readonly not: Condition }
  | Clause

export const COMPUTE_FUNCTIONS = [
  'count',
  'sum',
  'avg',
  'min',
  'max',
  'first',
  'last',
  'most_frequent',
  'unique_list',
  'unique_count',
] as const

export type ComputeFunction = (typeof COMPUTE_FUNCTIONS)[number]

/** How a computed trait is computed from the user's events. Every function except `count` needs a `property`. */
export interface Compute extends EventSelection, Window {
  readonly fn: ComputeFunction
  readonly property?: string
}
