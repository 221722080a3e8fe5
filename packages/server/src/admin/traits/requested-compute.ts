import type { ComputedTrait, JsonObject } from '@hookline/protocol'
import { validateCompute } from '../../audiences/conditions/validate-compute.ts'
import { fault, faultsBelow } from '../../util/fault.ts'
import type { Definition, DefinitionScope } from '../computations/computation-kind.ts'

type Defined = Pick<ComputedTrait, 'compute'>

/** How the trait in a body is computed. */
export function requestedCompute(
  { compute: given }: JsonObject,
  { before }: Pick<DefinitionScope, 'before'>,
): Definition<Defined> {
  if (given === undefined && before?.kind === 'trait')
    return { definition: { compute: before.compute } }
  if (given === undefined) return { faults: [MISSING] }
  const valid = validateCompute(given)
  return 'faults' in valid
    ? { faults: faultsBelow('/compute', valid.faults) }
    : { definition: valid }
}

const MISSING = fault(
  '/compute',
  'required',
  'compute is missing.',
  'Say how the value is made, such as {"fn": "count", "event": "Order Completed"}.',
)
