import {
  BUILT_IN_SOURCE_ID,
  type Computation,
  DEFAULT_SPACE,
  type Destination,
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
import type { Sync, SyncReason, Syncs } from '../../backend/syncs.ts'
import { type FieldError, fieldError, jsonPointer } from '../../util/field-error.ts'
import * as Schema from '../api/schema.ts'
import type { ChangeDeps } from '../audit.ts'
import { Problem } from '../problems/problem.ts'

/** Runs tasks one at a time: duplicate keys and cyclic conditions are checked across records. */
export class SerialQueue {
  #last: Promise<unknown> = Promise.resolve()

  run<T>(task: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(task)
    this.#last = turn.catch(() => undefined)
    return turn
  }
}

export interface ComputationDeps extends ChangeDeps {
  readonly computations: Pick<Computations, 'statusesOf' | 'requestSync' | 'preview' | 'explain'>
  readonly syncs: Pick<Syncs, 'list'>
  /** Orders all changes to computations, including imports. */
  readonly queue: SerialQueue
}

/** The context in which a definition is validated. */
export interface DefinitionScope {
  /** Absent for a new record. */
  readonly before?: Computation
  readonly space: string
  readonly current: CatalogSnapshot
}

/** A valid definition, or its errors, with pointers into the body. */
export type Definition<T> = { readonly definition: T } | { readonly errors: readonly FieldError[] }

/** The differences between the routes of audiences and of computed traits. */
export interface ComputationKind {
  readonly kind: Computation['kind']
  readonly idPrefix: 'aud' | 'trt'
  readonly path: '/audiences' | '/traits'
  readonly tag: 'Audiences' | 'Computed traits'
  /** In operation ids: `createAudience`. */
  readonly operation: 'Audience' | 'Trait'
  /** In sentences: `an audience`. */
  readonly withArticle: string
  readonly many: string
  readonly record: TSchema
  /** The name and schema of the definition. `define` validates it, so the schema's errors below it are dropped. */
  readonly definition: 'condition' | 'compute'
  readonly definitionField: TSchema
  /** The fields of the definition in the body of a new record. */
  readonly newFields: TProperties
  /** Validates the definition in the body of a creation, a change or a preview. */
  define(body: JsonObject, scope: DefinitionScope): Definition<object>
}

/** The computation of this kind with this id. @throws {Problem} `not_found` */
export function requireComputation(
  { current }: Pick<Catalog, 'current'>,
  { kind, withArticle }: ComputationKind,
  id: string,
): Computation {
  const record = current.computations.get(id)
  if (record?.kind === kind) return record
  throw new Problem('not_found', { detail: `This is not the id of ${withArticle}.` })
}

const REASONS: SyncReason[] = ['created', 'changed', 'requested', 'daily', 'deleted']
const SYNC_STATES: Sync['state'][] = ['waiting', 'running', 'done', 'failed']

export const SyncResponse = Type.Object(
  {
    id: Type.String(),
    reason: Type.Enum(REASONS),
    state: Schema.oneOf(
      SYNC_STATES,
      'waiting: for other syncs, or for stored events to be counted. running: evaluating profiles.',
    ),
    createdAt: Schema.time,
    startedAt: Schema.nullable(Schema.time),
    finishedAt: Schema.nullable(Schema.time),
    evaluated: Schema.integer('Profiles evaluated so far.'),
    entered: Schema.integer(
      'Profiles that got a new value. A sync with the reason created or changed includes profiles that were evaluated in real time in the meantime.',
    ),
    left: Schema.integer('Profiles that lost their value, counted in the same way as entered.'),
    missed: Schema.integer(
      'Changes that real-time evaluation missed. Always 0 unless there is a bug.',
    ),
    error: Schema.nullable(Schema.text('Why the sync failed.')),
  },
  { $id: 'Sync' },
)

export function presentSync(sync: Sync): object {
  const { id, reason, state, createdAt, startedAt, finishedAt } = sync
  const { evaluated, entered, left, missed, error } = sync
  const shown = {
    id,
    reason,
    state,
    createdAt,
    startedAt,
    finishedAt,
    evaluated,
    entered,
    left,
    missed,
  }
  return { ...Schema.withTimes(shown, 'createdAt', 'startedAt', 'finishedAt'), error }
}

const STATES: ComputationState[] = ['preparing', 'live', 'paused', 'disabled', 'failed']

export const reachesBackTo = Schema.nullable(
  Schema.timeOf(
    'Events received since this time are counted; older ones were no longer stored when counting began. null if no events are counted.',
  ),
)

/** The fields that the workers set. */
const statusFields = {
  state: Schema.oneOf(
    STATES,
    'preparing: the sync after its creation or last change has not finished, or it is being deleted. live: up to date with events. paused: all its destinations are disabled, paused or deleted. disabled: nothing is computed or sent. failed: see reason.',
  ),
  reason: Schema.nullable(Schema.text('The reason for the state.')),
  size: Schema.integer('Number of members, or of profiles with a value.'),
  progress: Schema.nullable(
    Type.Object(
      {
        step: Schema.oneOf(
          ['backfilling', 'evaluating', 'announcing'],
          'backfilling: counting stored events. evaluating: evaluating profiles. announcing: sending values.',
        ),
        done: Schema.integer('Events, profiles or users processed so far.'),
        total: Type.Integer(),
      },
      { description: 'Progress of the sync, if any.' },
    ),
  ),
  sync: Schema.orNull(Schema.ref(SyncResponse), 'The waiting or running sync.'),
  lastSync: Schema.orNull(Schema.ref(SyncResponse), 'The last finished sync.'),
  reachesBackTo,
}

const destinationIdsField = Type.Array(Type.String(), {
  maxItems: LIMITS.destinationsPerComputation,
  description: `Ids of at most ${LIMITS.destinationsPerComputation} destinations that get changes. They may belong to any source except src_hookline.`,
})

const ENABLED = 'true or false. While false, nothing is computed or sent.'
const enabled = Type.Boolean({ description: ENABLED })

/** Fields of a response that a request cannot set, with the remedy. */
const IMMUTABLE_FIELDS = {
  ...Schema.IMMUTABLE_FIELDS,
  ...Object.fromEntries(
    Object.keys(statusFields).map((name) => [name, 'Omit it: the server sets it.']),
  ),
}

export function creationBody(definition: TProperties): TObject {
  return Type.Object(
    {
      name: Schema.name,
      space: Type.Optional(
        Schema.space(`The space whose profiles are evaluated; ${Schema.DEFAULT_SPACE_TEXT}`),
      ),
      destinationIds: destinationIdsField,
      ...definition,
      enabled: Type.Optional(Schema.boolean(`${ENABLED} true if absent.`)),
    },
    {
      additionalProperties: false,
      'x-immutable': { ...IMMUTABLE_FIELDS, key: 'Omit it: it is derived from the name.' },
    },
  )
}

export function changeBody({ definition, definitionField }: ComputationKind): TObject {
  return Type.Object(
    {
      name: Type.Optional(Schema.name),
      destinationIds: Type.Optional(destinationIdsField),
      [definition]: Type.Optional(definitionField),
      enabled: Type.Optional(enabled),
    },
    {
      additionalProperties: false,
      'x-immutable': {
        ...IMMUTABLE_FIELDS,
        key: 'Omit it. For another key, create a new record.',
        space: 'Omit it. For another space, create a new record.',
        manual: 'Omit it. For the other kind of audience, create a new record.',
      },
    },
  )
}

export function responseFields<T extends Readonly<Record<string, TSchema>>>(definition: T) {
  return {
    id: Type.String(),
    name: Schema.name,
    key: Schema.text(
      'The name of the trait that is sent: the original name in snake_case. It never changes.',
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

export function presentComputation(
  record: Computation,
  { destinations }: Pick<CatalogSnapshot, 'destinations'>,
): object {
  const { kind: _, ...fields } = record
  return {
    ...Schema.withTimes(fields, 'createdAt', 'updatedAt'),
    destinationIds: record.destinationIds.filter((each) => destinations.has(each)),
    ...(record.kind === 'audience' && { manual: record.condition === null }),
  }
}

export function presentStatus(status: ComputationStatus): object {
  const { sync, lastSync } = status
  return {
    ...Schema.withTimes(status, 'reachesBackTo'),
    sync: sync && presentSync(sync),
    lastSync: lastSync && presentSync(lastSync),
  }
}

type Body = Pick<FastifyRequest, 'body' | 'validationError'>

const TOO_MANY = fieldError(
  '',
  'too_many',
  `The limit of ${LIMITS.computations} audiences and computed traits is reached.`,
  'Delete an unused one.',
)

/** The record that a request creates. @throws {Problem} `invalid_body` with all errors */
export function newComputation(
  request: Body,
  kind: ComputationKind,
  { current, now }: { readonly current: CatalogSnapshot; readonly now: number },
): Computation {
  const { fields, errors } = fieldsOf(request, kind)
  const { name, destinationIds } = fields
  const space = spaceIn(fields)
  const key = typeof name === 'string' ? keyOfName(name) : undefined
  const others = current.computations.values()
  const more = [
    ...errors,
    ...(current.computations.size < LIMITS.computations ? [] : [TOO_MANY]),
    ...(key === undefined ? [] : keyErrors({ key, space }, others)),
    ...spaceErrors(space, current.sources.values()),
    ...destinationErrors(destinationIds, current.destinations),
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
    // The schema and the errors above have checked the types.
  } as unknown as Computation
}

/** The record after a change. @throws {Problem} `invalid_body` with all errors */
export function changedComputation(
  request: Body,
  kind: ComputationKind,
  { before, current }: { readonly before: Computation; readonly current: CatalogSnapshot },
): Computation {
  const { fields, errors } = fieldsOf(request, kind)
  const { destinationIds } = fields
  const more = [...errors, ...destinationErrors(destinationIds, current.destinations)]
  const scope = { before, space: before.space, current }
  const definition = definitionOf(kind.define(fields, scope), more)
  const existing = before.destinationIds.filter((id) => current.destinations.has(id))
  return {
    ...before,
    ...fields,
    destinationIds: [...new Set((destinationIds as readonly string[] | undefined) ?? existing)],
    ...definition,
  }
}

/** The space and definition of a preview. @throws {Problem} `invalid_body` with all errors */
export function previewedDefinition(
  request: Body,
  kind: ComputationKind,
  current: CatalogSnapshot,
): { readonly space: string; readonly definition: object } {
  const { fields, errors } = fieldsOf(request, kind)
  const space = spaceIn(fields)
  const more = [...errors, ...spaceErrors(space, current.sources.values())]
  return { space, definition: definitionOf(kind.define(fields, { space, current }), more) }
}

/** The fields of the body, and the schema's errors outside the definition. */
function fieldsOf(
  { body, validationError }: Body,
  { definition }: Pick<ComputationKind, 'definition'>,
): { readonly fields: JsonObject; readonly errors: readonly FieldError[] } {
  const fields = body ?? {}
  if (validationError && !(validationError instanceof Problem)) throw validationError
  const all = validationError?.errors ?? []
  if (!isJsonObject(fields)) throw new Problem('invalid_body', { errors: all })
  const errors = all.filter(({ pointer }) => pointer.split('/')[1] !== definition)
  return { fields, errors }
}

/** The space of a record. A value of the wrong type has already been reported, so the default replaces it here. */
function spaceIn({ space }: JsonObject): string {
  return typeof space === 'string' ? space : DEFAULT_SPACE
}

function definitionOf<T>(outcome: Definition<T>, errors: readonly FieldError[]): T {
  const all = 'errors' in outcome ? [...errors, ...outcome.errors] : errors
  if ('errors' in outcome || all.length > 0) throw new Problem('invalid_body', { errors: all })
  return outcome.definition
}

export function destinationErrors(
  ids: unknown,
  known: ReadonlyMap<string, Pick<Destination, 'sourceId'>>,
): readonly FieldError[] {
  if (!Array.isArray(ids)) return []
  return ids.flatMap((id: unknown, index) => {
    if (typeof id !== 'string') return []
    const at = jsonPointer('destinationIds', index)
    const sourceId = known.get(id)?.sourceId
    if (sourceId === undefined)
      return fieldError(
        at,
        'unknown_destination',
        'No destination has this id.',
        'Use ids of existing destinations.',
      )
    // Alert channels get no deletion notices, so they must not get data about users.
    if (sourceId === BUILT_IN_SOURCE_ID)
      return fieldError(
        at,
        'not_allowed',
        'This destination is an alert channel, which receives only alerts.',
        'Use a destination of another source.',
      )
    return []
  })
}

/** An error if no source is in this space. */
export function spaceErrors(
  space: string,
  sources: Iterable<Pick<Source, 'space'>>,
  at = '/space',
): readonly FieldError[] {
  const spaces = new Set([DEFAULT_SPACE, ...[...sources].flatMap((each) => each.space ?? [])])
  if (spaces.has(space)) return []
  const hint = `Use one of ${[...spaces].slice(0, 20).join(', ')}, or assign a source to this space first.`
  return [fieldError(at, 'unknown_space', 'This space has no source.', hint)]
}

/** An error if another record of the space has this key. */
export function keyErrors(
  { key, space, id }: Pick<Computation, 'key' | 'space'> & { readonly id?: string },
  others: Iterable<Computation>,
  at = '/name',
): readonly FieldError[] {
  const other = [...others].find(
    (each) => each.key === key && each.space === space && each.id !== id,
  )
  if (other === undefined) return []
  const message = `${other.id} already has the key ${key}.`
  return [
    fieldError(at, 'not_unique', message, 'Choose another name, or delete that record first.'),
  ]
}
