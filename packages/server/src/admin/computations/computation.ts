import {
  type Computation,
  DEFAULT_SPACE,
  formatTimestamp,
  isJsonObject,
  type JsonObject,
  keyOfName,
  LIMITS,
  newId,
  type Source,
} from '@hookline/protocol'
import type { FastifyRequest } from 'fastify'
import Type, { type TObject, type TProperties, type TSchema } from 'typebox'
import type {
  Computations,
  ComputationState,
  ComputationStatus,
} from '../../audiences/computations.ts'
import type { Catalog, CatalogSnapshot } from '../../backend/catalog.ts'
import type { Memberships } from '../../backend/memberships.ts'
import type { Sync, SyncReason, Syncs } from '../../backend/syncs.ts'
import { type Fault, fault, jsonPointer } from '../../util/fault.ts'
import * as Schema from '../api/schema.ts'
import type { ChangeDeps } from '../audit.ts'
import { Problem } from '../problems/problem.ts'

/**
 * Runs tasks one after the other. A key must be unique and conditions must have no cycle, and both need more than one
 * record: so two changes must not check at the same time.
 */
export class Turns {
  #last: Promise<unknown> = Promise.resolve()

  /** Runs the task when those before it have ended, and resolves as it does. */
  run<T>(task: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(task)
    this.#last = turn.catch(() => undefined)
    return turn
  }
}

/** The dependencies of the routes of audiences and computed traits. */
export interface ComputationDeps extends ChangeDeps {
  readonly computations: Pick<Computations, 'statusesOf' | 'requestSync' | 'preview' | 'explain'>
  readonly syncs: Pick<Syncs, 'list'>
  /** Orders all changes of these records, those of imports included. */
  readonly turns: Turns
  readonly memberships: Pick<Memberships, 'changes'>
}

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
export interface ComputationKind {
  readonly kind: Computation['kind']
  readonly idPrefix: 'aud' | 'trt'
  /** The path of its routes. */
  readonly path: '/audiences' | '/traits'
  /** In sentences: "No audience has this id." */
  readonly noun: string
  readonly texts: SchemaTexts
  /** The fields of a body that `define` validates: the faults that the schema finds in them are left out. */
  readonly definingFields: readonly string[]
  /** The definition in a body that creates a record, changes one, or asks for a preview. */
  define(body: JsonObject, scope: DefinitionScope): Definition<object>
}

/** How the schemas of one kind of computation differ from those of the other. */
export interface SchemaTexts {
  readonly tag: 'Audiences' | 'Computed traits'
  /** In operation ids: `createAudience`. */
  readonly operation: 'Audience' | 'Trait'
  /** In sentences: `an audience`. */
  readonly one: string
  readonly many: string
  /** A record as the API shows it. */
  readonly component: TSchema
  /** The fields of the definition in the body of a request that creates one. */
  readonly newFields: TProperties
  /** The same for a request that changes one. */
  readonly changedFields: TProperties
  /** The same for a preview. */
  readonly previewed: TProperties
}

/** The record of this kind with this id. @throws {Problem} `not_found` */
export function requireComputation(
  { current }: Pick<Catalog, 'current'>,
  { kind, noun }: ComputationKind,
  id: string,
): Computation {
  const record = current.computations.get(id)
  if (record?.kind === kind) return record
  throw new Problem('not_found', { detail: `No ${noun} has this id.` })
}

const REASONS: SyncReason[] = ['created', 'changed', 'requested', 'daily', 'deleted']
const SYNC_STATES: Sync['state'][] = ['waiting', 'running', 'done', 'failed']

/** A sync as the API shows it. */
export const SyncResponse = Type.Object(
  {
    id: Type.String(),
    reason: Type.Enum(REASONS),
    state: Schema.oneOf(
      SYNC_STATES,
      'waiting: others run before it, or stored events are counted first. running: profiles are evaluated.',
    ),
    createdAt: Schema.time,
    startedAt: Schema.nullable(Schema.time),
    finishedAt: Schema.nullable(Schema.time),
    looked: Schema.integer('Profiles that it has looked at.'),
    entered: Schema.integer(
      'Profiles that got a value, or another one. A sync with the reason created or changed also counts those that were evaluated in real time before it was done.',
    ),
    left: Schema.integer('Profiles that lost their value. It counts as entered does.'),
    missed: Schema.integer(
      'Changes that evaluation in real time had missed. More than 0 is a bug in Hookline.',
    ),
    error: Schema.nullable(Schema.text('Why it failed.')),
  },
  { $id: 'Sync' },
)

/** The sync as the API shows it. */
export function presentSync(sync: Sync): object {
  const { id, reason, state, looked, entered, left, missed, error } = sync
  return {
    id,
    reason,
    state,
    createdAt: formatTimestamp(sync.createdAt),
    startedAt: Schema.timeOrNull(sync.startedAt),
    finishedAt: Schema.timeOrNull(sync.finishedAt),
    looked,
    entered,
    left,
    missed,
    error,
  }
}

const STATES: ComputationState[] = ['preparing', 'live', 'paused', 'disabled', 'failed']

/** Since when events are known, for responses. */
export const reachesBackTo = Schema.nullable(
  Schema.timeOf(
    'It counts events that were received at this time or later: older ones were no longer stored when it was created. null: it counts no events.',
  ),
)

/** The fields of an audience or a computed trait that the workers determine. */
const statusFields = {
  state: Schema.oneOf(
    STATES,
    'preparing: its first sync, or the one after a change, is not done. live: it follows each event. paused: each of its destinations is off, so nobody is told. disabled: nothing is computed or sent. failed: see reason.',
  ),
  reason: Schema.nullable(Schema.text('Why it is in this state.')),
  size: Schema.integer('Profiles that belong to it, or have a value.'),
  progress: Schema.nullable(
    Type.Object(
      {
        step: Schema.oneOf(
          ['filling', 'evaluating', 'announcing'],
          'filling: stored events are counted. evaluating: profiles are evaluated. announcing: users are told their value.',
        ),
        done: Schema.integer('Events, profiles or users that are done.'),
        total: Schema.integer('Of how many.'),
      },
      { description: 'How far the sync is; null if there is none.' },
    ),
  ),
  sync: Schema.orNull(Schema.ref(SyncResponse), 'The sync that waits or runs.'),
  lastSync: Schema.orNull(Schema.ref(SyncResponse), 'The last sync that ended.'),
  reachesBackTo,
}

const destinationIdsField = Type.Array(Type.String(), {
  maxItems: LIMITS.destinationsPerComputation,
  description: `The ids of the destinations that changes are sent to, whatever their source: at most ${LIMITS.destinationsPerComputation}.`,
})

const ENABLED = 'true or false. While it is false, nothing is computed and nothing is sent.'
const enabled = Type.Boolean({ description: ENABLED })

/** Fields of a response that a request cannot set, with the remedy. */
const FIXED_FIELDS = {
  ...Schema.FIXED_FIELDS,
  ...Object.fromEntries(
    Object.keys(statusFields).map((name) => [name, 'Leave it out: the server sets it.']),
  ),
}

/** The body of a request that creates an audience or a computed trait. */
export function creationBody(definition: TProperties): TObject {
  return Type.Object(
    {
      name: Schema.name,
      space: Type.Optional(
        Schema.space(`The space whose profiles are computed; ${Schema.DEFAULT_SPACE_TEXT}`),
      ),
      destinationIds: destinationIdsField,
      ...definition,
      enabled: Type.Optional(Schema.boolean(`${ENABLED} true if absent.`)),
    },
    {
      additionalProperties: false,
      'x-fixed': { ...FIXED_FIELDS, key: 'Leave it out: it comes from the name.' },
    },
  )
}

/** The body of a request that changes one. */
export function changeBody(definition: TProperties): TObject {
  return Type.Object(
    {
      name: Type.Optional(Schema.name),
      destinationIds: Type.Optional(destinationIdsField),
      ...definition,
      enabled: Type.Optional(enabled),
    },
    {
      additionalProperties: false,
      'x-fixed': {
        ...FIXED_FIELDS,
        key: 'Leave it out: receivers know it under this key. For another key, create a new one.',
        space: 'Leave it out. For another space, create a new one.',
        manual: 'Leave it out. Create a new audience, with a condition or with manual: true.',
      },
    },
  )
}

/** The fields of a response. */
export function responseFields<T extends Readonly<Record<string, TSchema>>>(definition: T) {
  return {
    id: Type.String(),
    name: Schema.name,
    key: Schema.text(
      'The name of the trait that is sent: snake_case of the first name. It never changes.',
    ),
    space: Type.String(),
    destinationIds: destinationIdsField,
    ...definition,
    enabled,
    ...statusFields,
    createdAt: Schema.time,
    updatedAt: Schema.time,
    version: Schema.version,
  }
}

/** The record as the API shows it, without its status. */
export function presentComputation(
  record: Computation,
  { destinations }: Pick<CatalogSnapshot, 'destinations'>,
): object {
  const { kind: _, ...fields } = record
  return {
    ...fields,
    // Destinations that are removed are forgotten.
    destinationIds: record.destinationIds.filter((each) => destinations.has(each)),
    ...(record.kind === 'audience' && { manual: record.condition === null }),
    createdAt: formatTimestamp(record.createdAt),
    updatedAt: formatTimestamp(record.updatedAt),
  }
}

/** The status as the API shows it. */
export function presentStatus(status: ComputationStatus): object {
  const { sync, lastSync, reachesBackTo: since } = status
  return {
    ...status,
    sync: sync && presentSync(sync),
    lastSync: lastSync && presentSync(lastSync),
    reachesBackTo: Schema.timeOrNull(since),
  }
}

type Body = Pick<FastifyRequest, 'body' | 'validationError'>

const TOO_MANY = fault(
  '',
  'too_many',
  `There are ${LIMITS.computations} audiences and computed traits already.`,
  'Remove one that is no longer needed.',
)

/** The record that a request creates. @throws {Problem} `invalid_body` with all faults */
export function newComputation(
  request: Body,
  kind: ComputationKind,
  { current, now }: { readonly current: CatalogSnapshot; readonly now: number },
): Computation {
  const { fields, faults } = fieldsOf(request, kind)
  const { name, destinationIds } = fields
  const space = spaceIn(fields)
  const key = typeof name === 'string' ? keyOfName(name) : undefined
  const others = current.computations.values()
  const more = [
    ...faults,
    ...(current.computations.size < LIMITS.computations ? [] : [TOO_MANY]),
    ...(key === undefined ? [] : keyFaults({ key, space }, others)),
    ...spaceFaults(space, current.sources.values()),
    ...destinationFaults(destinationIds, current.destinations),
  ]
  const definition = definitionOf(kind.define(fields, { space, current }), more)
  return {
    id: newId(kind.idPrefix, now),
    kind: kind.kind,
    space,
    name,
    key,
    destinationIds: [...new Set(destinationIds as readonly string[])],
    ...definition,
    enabled: fields['enabled'] ?? true,
    createdAt: now,
    updatedAt: now,
    version: 1,
    // The schema and the faults above have checked the types.
  } as unknown as Computation
}

/** The record after a change. @throws {Problem} `invalid_body` with all faults */
export function changedComputation(
  request: Body,
  kind: ComputationKind,
  { before, current }: { readonly before: Computation; readonly current: CatalogSnapshot },
): Computation {
  const { fields, faults } = fieldsOf(request, kind)
  const { destinationIds } = fields
  const more = [...faults, ...destinationFaults(destinationIds, current.destinations)]
  const scope = { before, space: before.space, current }
  const definition = definitionOf(kind.define(fields, scope), more)
  const kept = before.destinationIds.filter((id) => current.destinations.has(id))
  return {
    ...before,
    ...fields,
    destinationIds: [...new Set((destinationIds as readonly string[] | undefined) ?? kept)],
    ...definition,
  }
}

/** The definition and the space that a preview is asked for. @throws {Problem} `invalid_body` with all faults */
export function previewedDefinition(
  request: Body,
  kind: ComputationKind,
  current: CatalogSnapshot,
): { readonly space: string; readonly definition: object } {
  const { fields, faults } = fieldsOf(request, kind)
  const space = spaceIn(fields)
  const more = [...faults, ...spaceFaults(space, current.sources.values())]
  return { space, definition: definitionOf(kind.define(fields, { space, current }), more) }
}

/** The fields of the body, and the faults that the schema found, except those of the definition. */
function fieldsOf(
  { body, validationError }: Body,
  { definingFields }: Pick<ComputationKind, 'definingFields'>,
): { readonly fields: JsonObject; readonly faults: readonly Fault[] } {
  const fields = body ?? {}
  if (validationError && !(validationError instanceof Problem)) throw validationError
  const all = validationError?.faults ?? []
  if (!isJsonObject(fields)) throw new Problem('invalid_body', { faults: all })
  const faults = all.filter(({ pointer }) => !definingFields.includes(pointer.split('/')[1] ?? ''))
  return { fields, faults }
}

/** The default where it is absent; or of a wrong type, which the schema has found. */
function spaceIn({ space }: JsonObject): string {
  return typeof space === 'string' ? space : DEFAULT_SPACE
}

function definitionOf<T>(outcome: Definition<T>, faults: readonly Fault[]): T {
  const all = 'faults' in outcome ? [...faults, ...outcome.faults] : faults
  if ('faults' in outcome || all.length > 0) throw new Problem('invalid_body', { faults: all })
  return outcome.definition
}

/** A fault for each id that is not the id of a destination. */
export function destinationFaults(
  ids: unknown,
  known: { has(id: string): boolean },
  at = '/destinationIds',
): readonly Fault[] {
  if (!Array.isArray(ids)) return []
  const hint = 'Give ids of existing destinations.'
  return ids.flatMap((id: unknown, index) =>
    typeof id !== 'string' || known.has(id)
      ? []
      : fault(at + jsonPointer(index), 'unknown_destination', 'No destination has this id.', hint),
  )
}

/** A fault where no source is in this space. */
export function spaceFaults(
  space: string,
  sources: Iterable<Pick<Source, 'space'>>,
  at = '/space',
): readonly Fault[] {
  const spaces = new Set([DEFAULT_SPACE, ...[...sources].flatMap((each) => each.space ?? [])])
  if (spaces.has(space)) return []
  const hint = `Use one of ${[...spaces].slice(0, 20).join(', ')}; or put a source into this space first.`
  return [fault(at, 'unknown_space', 'No source is in this space.', hint)]
}

/** A fault where something else in the space has the key that comes from the name. */
export function keyFaults(
  { key, space, id }: Pick<Computation, 'key' | 'space'> & { readonly id?: string },
  others: Iterable<Computation>,
  at = '/name',
): readonly Fault[] {
  const other = [...others].find(
    (each) => each.key === key && each.space === space && each.id !== id,
  )
  if (other === undefined) return []
  const what = other.kind === 'audience' ? 'The audience' : 'The computed trait'
  const message = `${what} ${other.id} has the key ${key} that comes from this name.`
  return [fault(at, 'not_unique', message, 'Choose another name, or remove the other one first.')]
}
