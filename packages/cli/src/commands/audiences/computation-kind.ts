import type { JsonObject } from '@hookline/protocol'
import type { PageRequest } from '../../api/list-items.ts'
import type { ManagementApi } from '../../api/management-api.ts'
import type { Computation } from '../../output/users/computation-text.ts'
import type { ComputationExplanation } from '../../output/users/explanation-text.ts'
import type { Preview } from '../../output/users/preview-text.ts'

/** The fields of a request that creates or changes an audience or a computed trait. */
export interface RequestedFields {
  readonly name?: string
  readonly space?: string
  readonly destinationIds?: string[]
  readonly enabled?: boolean
  readonly manual?: true
  readonly condition?: JsonObject
  readonly compute?: JsonObject
}

/** How the commands of audiences and computed traits differ. */
export interface ComputationKind {
  readonly word: 'audiences' | 'traits'
  /** Their kind in `idOf`. */
  readonly kind: 'audience' | 'trait'
  readonly one: string
  readonly many: string
  /** The option for the file of the definition, and its field in requests. */
  readonly definition: 'condition' | 'compute'
  readonly example: string
  /** Help text of `explain`. */
  readonly explanation: string
  readonly operations: (api: ManagementApi) => Operations
}

interface Operations {
  readonly list: (
    filter: { space?: string } & PageRequest,
  ) => Promise<{ data: readonly Computation[]; nextCursor: string | null }>
  readonly get: (id: string) => Promise<Computation>
  readonly create: (body: RequestedFields) => Promise<Computation>
  readonly change: (id: string, body: RequestedFields) => Promise<Computation>
  readonly remove: (id: string, query: { announce?: 'true' }) => Promise<unknown>
  readonly sync: (id: string) => ReturnType<ManagementApi['syncAudience']>
  readonly preview: (
    body: Pick<RequestedFields, 'space' | 'condition' | 'compute'>,
  ) => Promise<Preview>
  readonly explain: (id: string, userId: string) => Promise<ComputationExplanation>
}
