import {
  type Computation,
  DEFAULT_SPACE,
  isJsonObject,
  type JsonObject,
  keyOfName,
  LIMITS,
  newId,
  type Source,
} from '@hookline/protocol'
import type { FastifyRequest } from 'fastify'
import type { CatalogSnapshot } from '../../backend/catalog.ts'
import { type Fault, fault, jsonPointer } from '../../util/fault.ts'
import { Problem } from '../problems/problem.ts'
import type { ComputationKind, Definition } from './computation.ts'

type Body = Pick<FastifyRequest, 'body' | 'validationError'>

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
    ...limitFaults(current.computations.size),
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

/** A fault where there are as many as there may be. */
function limitFaults(count: number, at = ''): readonly Fault[] {
  if (count < LIMITS.computations) return []
  const message = `There are ${LIMITS.computations} audiences and computed traits already.`
  return [fault(at, 'too_many', message, 'Remove one that is no longer needed.')]
}
