import type { JsonObject } from '@hookline/protocol'
import type { DefinitionDraft } from '../draft/definition-draft.ts'
import type { ComputationKind, NewComputation } from '../record/computation-kind.ts'

/** An audience or a computed trait that is being written. */
export interface NewRecord {
  readonly name: string
  readonly space: string
  /** Its members are a list. */
  readonly isManual: boolean
  readonly destinationIds: string[]
  readonly definition: DefinitionDraft<unknown>
}

/** The body of the request that creates it. The service checks everything, and says what is wrong. */
export function bodyOf(
  { definition: field }: ComputationKind,
  { name, space, isManual, destinationIds, definition }: NewRecord,
): NewComputation {
  const common = { name, space, destinationIds }
  return isManual
    ? { ...common, manual: true }
    : { ...common, [field]: definition.json as JsonObject }
}
