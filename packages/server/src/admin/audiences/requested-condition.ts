import type { Audience, JsonObject } from '@hookline/protocol'
import { referenceFaults } from '../../audiences/conditions/reference-faults.ts'
import { validateCondition } from '../../audiences/conditions/validate-condition.ts'
import { type Fault, fault, faultsBelow } from '../../util/fault.ts'
import type { Definition, DefinitionScope } from '../computations/computation-kind.ts'

type Defined = Pick<Audience, 'condition'>

/** The condition in a body; `null` for a manual audience. */
export function requestedCondition(body: JsonObject, scope: DefinitionScope): Definition<Defined> {
  const { before } = scope
  const kept = before?.kind === 'audience' ? before.condition : undefined
  const given = body['condition']
  if (given === undefined && kept !== undefined) return { definition: { condition: kept } }
  const isManual = kept === null || (kept === undefined && body['manual'] === true)
  if (isManual) return given === undefined ? MANUAL : { faults: [exclusive(kept)] }
  return given === undefined ? { faults: [MISSING] } : checkedCondition(given, body, scope)
}

function checkedCondition(
  given: unknown,
  { name }: JsonObject,
  { before, space, current }: DefinitionScope,
): Definition<Defined> {
  const valid = validateCondition(given)
  if ('faults' in valid) return { faults: faultsBelow('/condition', valid.faults) }
  const shownName = typeof name === 'string' ? name : (before?.name ?? '')
  const referring = { id: before?.id ?? null, name: shownName, space, ...valid }
  const faults = referenceFaults(referring, current.computations)
  return faults.length > 0 ? { faults: faultsBelow('/condition', faults) } : { definition: valid }
}

const MANUAL: Definition<Defined> = { definition: { condition: null } }

const MISSING = fault(
  '/condition',
  'required',
  'condition is missing.',
  'Say who belongs to the audience: {"trait": "plan", "op": "equals", "value": "pro"}; or give manual: true, and its members later.',
)

function exclusive(kept: null | undefined): Fault {
  return kept === null
    ? fault(
        '/condition',
        'fixed',
        'The members of this audience are a list.',
        'Leave it out. For a condition, create a new audience.',
      )
    : fault(
        '/condition',
        'exclusive',
        'An audience has a condition, or it is manual.',
        'Leave out condition or manual.',
      )
}
