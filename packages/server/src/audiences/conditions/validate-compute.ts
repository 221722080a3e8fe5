import { COMPUTE_FUNCTIONS, type Compute, isJsonObject, type JsonObject } from '@hookline/protocol'
import { type FieldError, fieldError, unknownFields } from '../../util/field-error.ts'
import {
  checkPath,
  checkSelection,
  checkWindow,
  SELECTION_FIELDS,
  WINDOW_FIELDS,
} from './checks.ts'

export type ValidatedCompute =
  { readonly compute: Compute } | { readonly errors: readonly FieldError[] }

/** Error pointers are relative to `input`, which must be parsed JSON. */
export function validateCompute(input: unknown): ValidatedCompute {
  if (!isJsonObject(input)) {
    const hint = 'Use an object, such as {"fn": "count", "event": "Order Completed"}.'
    return { errors: [fieldError('', 'invalid_type', 'compute must be an object.', hint)] }
  }
  const by = Object.hasOwn(input, 'type') ? 'type' : 'event'
  const known = ['fn', ...SELECTION_FIELDS[by], 'property', ...WINDOW_FIELDS]
  const errors = exclusiveErrors(input) ?? unknownFields(input, known)
  checkFunction(input, errors)
  checkSelection(input, '', errors)
  checkWindow(input, '', errors)
  return errors.length > 0 ? { errors } : { compute: input as unknown as Compute }
}

function exclusiveErrors(input: JsonObject): FieldError[] | undefined {
  if (!Object.hasOwn(input, 'type') || !Object.hasOwn(input, 'event')) return undefined
  const hint = 'Use event for track calls with that name, or type for calls of another type.'
  return [fieldError('/type', 'exclusive', 'type and event are mutually exclusive.', hint)]
}

function checkFunction({ fn, property }: JsonObject, errors: FieldError[]): void {
  if (!COMPUTE_FUNCTIONS.some((each) => each === fn)) {
    const hint = `Use one of ${COMPUTE_FUNCTIONS.join(', ')}.`
    errors.push(
      fn === undefined
        ? fieldError('/fn', 'required', 'fn is missing.', hint)
        : fieldError('/fn', 'not_allowed', 'Unknown function.', hint),
    )
  } else if (fn !== 'count') {
    checkPath(property, '/property', errors)
  } else if (property !== undefined) {
    const hint = 'Omit it, or choose another function, such as sum.'
    errors.push(fieldError('/property', 'not_allowed', 'count does not use a property.', hint))
  }
}
