import type { Computation, JsonObject } from '@hookline/protocol'
import type { CatalogSnapshot } from '../../backend/catalog.ts'
import type { Fault } from '../../util/fault.ts'
import type { ComputationSchemas } from './computation-schemas.ts'

/** What a definition is validated with. */
export interface DefinitionScope {
  /** The record that is changed; absent for a new one. */
  readonly before?: Computation
  readonly space: string
  readonly current: CatalogSnapshot
}

/** The definition of a record, or what is wrong with it; pointers begin at the body. */
export type Definition<T> = { readonly definition: T } | { readonly faults: readonly Fault[] }

/** How the routes of audiences and those of computed traits differ. */
export interface ComputationKind<T extends Computation = Computation> {
  readonly kind: T['kind']
  readonly idPrefix: 'aud' | 'trt'
  /** The path of its routes. */
  readonly path: '/audiences' | '/traits'
  /** In sentences: "No audience has this id." */
  readonly noun: string
  readonly schemas: ComputationSchemas
  /** The fields of a body that `define` validates: the faults that the schema finds in them are left out. */
  readonly definingFields: readonly string[]
  /** The definition in a body that creates a record, changes one, or asks for a preview. */
  define(body: JsonObject, scope: DefinitionScope): Definition<object>
}
