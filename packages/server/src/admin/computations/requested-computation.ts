import {
  type Computation,
  DEFAULT_SPACE,
  isJsonObject,
  type JsonObject,
  keyOfName,
  newId,
} from '@hookline/protocol'
import type { FastifyRequest } from 'fastify'
import type { CatalogSnapshot } from '../../backend/catalog.ts'
import type { Fault } from '../../util/fault.ts'
import { Problem } from '../problems/problem.ts'
import { destinationFaults, keyFaults, limitFaults, spaceFaults } from './computation-faults.ts'
import type { ComputationKind, Definition } from './computation-kind.ts'

type Body = Pick<FastifyRequest, 'body' | 'validationError'>

/** The record that a request creates. @throws {Problem} `invalid_body` with all faults */
export function newComputation<T extends Computation>(
  request: Body,
  kind: ComputationKind<T>,
  { current, now }: { readonly current: CatalogSnapshot; readonly now: number },
): T {
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
  } as unknown as T
}

/** The record after a change. @throws {Problem} `invalid_body` with all faults */
export function changedComputation<T extends Computation>(
  request: Body,
  kind: ComputationKind<T>,
  { before, current }: { readonly before: T; readonly current: CatalogSnapshot },
): T {
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
