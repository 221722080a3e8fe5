import type { Computation, ComputationKind } from '../record/computation-kind.ts'

/** What every tab of an audience or a computed trait gets. */
export interface TabProps {
  readonly kind: ComputationKind
  readonly record: Computation
}
