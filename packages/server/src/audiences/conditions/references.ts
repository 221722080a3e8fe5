import type { Clause, Computation, Condition } from '@hookline/protocol'
import { type FieldError, fieldError } from '../../util/field-error.ts'
import { clausesIn } from './clauses.ts'

/** All audiences and computed traits, by id. */
export type Computations = ReadonlyMap<string, Computation>

/** The computation that a clause refers to, by id or by key within the space. */
export function referenceOf(
  clause: Clause,
  space: string,
  computations: Computations,
): Computation | undefined {
  if ('audience' in clause) {
    const referenced = computations.get(clause.audience)
    return referenced?.kind === 'audience' ? referenced : undefined
  }
  if (!('computedTrait' in clause)) return undefined
  for (const each of computations.values()) {
    if (each.kind === 'trait' && each.space === space && each.key === clause.computedTrait)
      return each
  }
  return undefined
}

/** Computations, dependencies first. */
export function inEvaluationOrder(computations: Computations): readonly Computation[] {
  const ordered: Computation[] = []
  const seen = new Set<Computation>()
  const visit = (computation: Computation): void => {
    if (seen.has(computation)) return
    seen.add(computation)
    for (const each of dependenciesOf(computation, computations)) visit(each)
    ordered.push(computation)
  }
  for (const each of computations.values()) visit(each)
  return ordered
}

/** Computations that a condition refers to, in the order of its clauses. */
export function dependenciesOf(
  computation: Computation,
  computations: Computations,
): readonly Computation[] {
  if (computation.kind === 'trait' || computation.condition === null) return []
  return [...clausesIn(computation.condition)]
    .map(({ clause }) => referenceOf(clause, computation.space, computations))
    .filter((each) => each !== undefined)
}

interface ReferringAudience {
  /** `null` for a new one. */
  readonly id: string | null
  readonly name: string
  readonly space: string
  readonly condition: Condition
}

/** Errors in references, relative to the condition: missing, other space, cycle. `computations`: before the change. */
export function referenceErrors(
  referring: ReferringAudience,
  computations: Computations,
): readonly FieldError[] {
  return [...clausesIn(referring.condition)].flatMap(({ clause, pointer }) => {
    const field = REFERRING_FIELDS.find((each) => each in clause)
    if (field === undefined) return []
    const target = referenceOf(clause, referring.space, computations)
    const error =
      target === undefined
        ? unknownError(clause, referring.space, computations)
        : targetError(target, referring, computations)
    return error === undefined ? [] : [{ ...error, pointer: `${pointer}/${field}` }]
  })
}

const REFERRING_FIELDS = ['audience', 'computedTrait'] as const

function unknownError(clause: Clause, space: string, computations: Computations): FieldError {
  if (!('computedTrait' in clause)) {
    const hint = 'Use the id of an existing audience: "aud_…".'
    return fieldError('', 'unknown_audience', 'Audience not found.', hint)
  }
  const same = [...computations.values()].filter(({ key }) => key === clause.computedTrait)
  const isInSpace = same.some((each) => each.space === space)
  if (!isInSpace && same.some(({ kind }) => kind === 'trait')) return otherSpace()
  const hint =
    'Use the key of an existing computed trait. For an audience, use its id: {"audience": "aud_…"}.'
  return fieldError('', 'unknown_computed_trait', 'Computed trait not found.', hint)
}

function targetError(
  target: Computation,
  { id, name, space }: ReferringAudience,
  computations: Computations,
): FieldError | undefined {
  if (target.space !== space) return otherSpace()
  if (target.id === id) {
    const hint = 'Use another audience, or remove the clause.'
    return fieldError('', 'self_reference', 'An audience cannot refer to itself.', hint)
  }
  const way = id === null ? undefined : pathTo(id, target, computations, new Set())
  if (way === undefined) return undefined
  const round = [name, ...way, name].join(' → ')
  const hint = 'Remove one of these references: an audience cannot depend on itself.'
  return fieldError('', 'cycle', `Circular reference: ${round}.`, hint)
}

function otherSpace(): FieldError {
  const hint = 'Use one from the same space: each space has its own profiles.'
  return fieldError('', 'other_space', 'The audience or computed trait is in another space.', hint)
}

/** Names of the computations on the path from `from` to `id`; `undefined` if unreachable. */
function pathTo(
  id: string,
  from: Computation,
  computations: Computations,
  seen: Set<string>,
): readonly string[] | undefined {
  if (seen.has(from.id)) return undefined
  seen.add(from.id)
  for (const each of dependenciesOf(from, computations)) {
    const way = each.id === id ? [] : pathTo(id, each, computations, seen)
    if (way !== undefined) return [from.name, ...way]
  }
  return undefined
}
