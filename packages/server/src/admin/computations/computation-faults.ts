import { type Computation, DEFAULT_SPACE, LIMITS, type Source } from '@hookline/protocol'
import { type Fault, fault, jsonPointer } from '../../util/fault.ts'

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
export function limitFaults(count: number, at = ''): readonly Fault[] {
  if (count < LIMITS.computations) return []
  const message = `There are ${LIMITS.computations} audiences and computed traits already.`
  return [fault(at, 'too_many', message, 'Remove one that is no longer needed.')]
}
