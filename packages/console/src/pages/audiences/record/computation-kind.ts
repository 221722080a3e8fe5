import type { JsonObject } from '@hookline/protocol'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { api } from '../../../api/client.ts'
import { allOf } from '../../../api/queries.ts'
import type { NameOf, Notation } from '../../../domain/conditions/draft/notation.ts'
import { CONDITIONS } from '../draft/clause-draft.ts'
import { COMPUTES } from '../draft/compute-draft.ts'

type Audience = Awaited<ReturnType<typeof api.getAudience>>
type ComputedTrait = Awaited<ReturnType<typeof api.getTrait>>
export type Computation = Audience | ComputedTrait

interface ChangedFields {
  readonly name?: string
  readonly enabled?: boolean
  readonly destinationIds?: string[]
  readonly condition?: JsonObject
  readonly compute?: JsonObject
}

interface NewComputation extends ChangedFields {
  readonly name: string
  readonly space: string
  readonly destinationIds: string[]
  readonly manual?: true
}

interface PageRequest {
  readonly limit: number
  readonly cursor?: string
}

/** A member of an audience, or a user's value for a computed trait. */
export interface ValueRow {
  readonly userId: string | null
  readonly since: string
  readonly value?: unknown
}

/** The differences between audiences and computed traits. */
export interface ComputationKind {
  /** The URL parameter with the id of the open record. */
  readonly param: 'audience' | 'trait'
  /** The URL query of the list. */
  readonly listSearch: Readonly<Record<string, string>>
  /** The first element of query keys. */
  readonly resource: 'audiences' | 'traits'
  readonly one: string
  /** The API field. */
  readonly definition: 'condition' | 'compute'
  readonly definitionLabel: 'Condition' | 'Function'
  readonly valuesLabel: 'Members' | 'Values'
  readonly notation: Notation<unknown>
  list(page: PageRequest): Promise<{ data: Computation[]; nextCursor: string | null }>
  get(id: string): Promise<Computation>
  create(body: NewComputation): Promise<Computation>
  change(id: string, body: ChangedFields, version: number): Promise<Computation>
  remove(id: string, announce: boolean): Promise<unknown>
  sync(id: string): Promise<unknown>
  preview(space: string, definition: JsonObject, signal: AbortSignal): Promise<Preview>
  explain(id: string, userId: string): Promise<ComputationExplanation>
  values(id: string, page: PageRequest): Promise<{ data: ValueRow[]; nextCursor: string | null }>
  syncs(id: string): ReturnType<typeof api.listAudienceSyncs>
}

/** A record and its kind, for the components of its page. */
export interface ComputationProps {
  readonly kind: ComputationKind
  readonly record: Computation
}

export type Preview = Awaited<ReturnType<typeof api.previewAudience>>
export type ComputationExplanation = Awaited<ReturnType<typeof api.explainAudience>>

const ifMatch = (version: number) => ({ ifMatch: `"${version}"` })
const announced = (isAnnounced: boolean) => (isAnnounced ? ({ announce: 'true' } as const) : {})

export const AUDIENCES: ComputationKind = {
  param: 'audience',
  listSearch: {},
  resource: 'audiences',
  one: 'audience',
  definition: 'condition',
  definitionLabel: 'Condition',
  valuesLabel: 'Members',
  notation: CONDITIONS as unknown as Notation<unknown>,
  list: (page) => api.listAudiences(page),
  get: (id) => api.getAudience(id),
  create: (body) => api.createAudience(body),
  change: (id, body, version) => api.changeAudience(id, body, ifMatch(version)),
  remove: (id, announce) => api.removeAudience(id, announced(announce)),
  sync: (id) => api.syncAudience(id, {}),
  preview: (space, condition, signal) => api.previewAudience({ space, condition }, {}, { signal }),
  explain: (id, userId) => api.explainAudience(userId, id),
  values: (id, page) => api.listMembers(id, page),
  syncs: (id) => api.listAudienceSyncs(id),
}

export const TRAITS: ComputationKind = {
  param: 'trait',
  listSearch: { list: 'traits' },
  resource: 'traits',
  one: 'computed trait',
  definition: 'compute',
  definitionLabel: 'Function',
  valuesLabel: 'Values',
  notation: COMPUTES as unknown as Notation<unknown>,
  list: (page) => api.listTraits(page),
  get: (id) => api.getTrait(id),
  create: ({ compute = {}, ...body }) => api.createTrait({ ...body, compute }),
  change: (id, body, version) => api.changeTrait(id, body, ifMatch(version)),
  remove: (id, announce) => api.removeTrait(id, announced(announce)),
  sync: (id) => api.syncTrait(id, {}),
  preview: (space, compute, signal) => api.previewTrait({ space, compute }, {}, { signal }),
  explain: (id, userId) => api.explainTrait(userId, id),
  values: (id, page) => api.listTraitValues(id, page),
  syncs: (id) => api.listTraitSyncs(id),
}

const BUSY_MS = 1_000
const IDLE_MS = 5_000
const PER_REQUEST = 100

/** The stream does not report changes in size, so they are polled: faster during syncs, slower for long lists. */
function pollingOf(records: readonly Computation[] | undefined): number {
  const isBusy = records?.some(({ sync, state }) => sync !== null || state === 'preparing') ?? false
  const requests = Math.ceil((records?.length ?? 0) / PER_REQUEST)
  return (isBusy ? BUSY_MS : IDLE_MS) * Math.max(1, requests)
}

/** All audiences or computed traits; a service has at most 1,000 in total. */
export function computationsQuery(kind: ComputationKind) {
  return queryOptions({
    queryKey: [kind.resource],
    queryFn: () => allOf((page) => kind.list(page)),
    refetchInterval: ({ state }) => pollingOf(state.data),
  })
}

export function computationQuery(kind: ComputationKind, id: string) {
  return queryOptions({
    queryKey: [kind.resource, id],
    queryFn: () => kind.get(id),
    refetchInterval: ({ state }) => pollingOf(state.data && [state.data]),
  })
}

/** `null` for a manual audience. */
export function definitionOf(record: Computation): JsonObject | null {
  return 'compute' in record ? record.compute : record.condition
}

/** Looks up audience names, for clauses in words. */
export function useAudienceNames(): NameOf {
  const { data: audiences = [] } = useQuery(computationsQuery(AUDIENCES))
  return (id) => audiences.find((each) => each.id === id)?.name
}
