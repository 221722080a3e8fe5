import { COMPUTE_FUNCTIONS, type Compute, isJsonObject, type JsonObject } from '@hookline/protocol'
import { type Fault, fault, unknownFields } from '../../util/fault.ts'
import {
  checkPath,
  checkSelection,
  checkWindow,
  SELECTION_FIELDS,
  WINDOW_FIELDS,
} from './checks.ts'

export type ValidatedCompute = { readonly compute: Compute } | { readonly faults: readonly Fault[] }

/** Fault pointers are relative to `input`, which must be parsed JSON. */
export function validateCompute(input: unknown): ValidatedCompute {
  if (!isJsonObject(input)) {
    const hint = 'Use an object, such as {"fn": "count", "event": "Order Completed"}.'
    return { faults: [fault('', 'invalid_type', 'compute must be an object.', hint)] }
  }
  const by = Object.hasOwn(input, 'type') ? 'type' : 'event'
  const known = ['fn', ...SELECTION_FIELDS[by], 'property', ...WINDOW_FIELDS]
  const faults = exclusiveFaults(input) ?? unknownFields(input, known)
  checkFunction(input, faults)
  checkSelection(input, '', faults)
  checkWindow(input, '', faults)
  return faults.length > 0 ? { faults } : { compute: input as unknown as Compute }
}

function exclusiveFaults(input: JsonObject): Fault[] | undefined {
  if (!Object.hasOwn(input, 'type') || !Object.hasOwn(input, 'event')) return undefined
  const hint = 'Use event for track calls with that name, or type for calls of another type.'
  return [fault('/type', 'exclusive', 'type and event are mutually exclusive.', hint)]
}

function checkFunction({ fn, property }: JsonObject, faults: Fault[]): void {
  if (!COMPUTE_FUNCTIONS.some((each) => each === fn)) {
    const hint = `Use one of ${COMPUTE_FUNCTIONS.join(', ')}.`
    faults.push(
      fn === undefined
        ? fault('/fn', 'required', 'fn is missing.', hint)
        : fault('/fn', 'not_allowed', 'Unknown function.', hint),
    )
  } else if (fn !== 'count') {
    checkPath(property, '/property', faults)
  } else if (property !== undefined) {
    const hint = 'Omit it, or choose another function, such as sum.'
    faults.push(fault('/property', 'not_allowed', 'count does not use a property.', hint))
  }
}
