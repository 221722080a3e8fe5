import {
  EVENT_TYPES,
  type Filter,
  FILTER_FIELDS,
  isJsonObject,
  type Json,
  type JsonObject,
  LIMITS,
  type Sample,
  SAMPLE_FIELDS,
} from '@hookline/protocol'
import { checkComparison, checkPath, checkText } from '../../audiences/conditions/checks.ts'
import { treeFaults } from '../../audiences/conditions/validate-condition.ts'
import { type Fault, fault, faultsBelow, unknownFields } from '../../util/fault.ts'

const CLAUSE_FIELDS = ['type', 'event', 'where']
const PATHS = ['property', 'trait', 'context'] as const
const COMPARED = [...PATHS, 'field'] as const
const MAX_COMPARISONS = LIMITS.filtersPerClause
const MAX_NAMES = LIMITS.eventNamesPerClause

/** Validates a filter. The pointers of faults are relative to it. */
export function filterFaults(input: unknown): readonly Fault[] {
  return treeFaults(input, {
    kindsOf: (each) => CLAUSE_FIELDS.filter((name) => Object.hasOwn(each, name)).slice(0, 1),
    checkOf: () => ({ fields: CLAUSE_FIELDS, check: checkClause }),
    examples:
      'Use one of {"type": …}, {"event": …}, {"where": […]}, {"and": […]}, {"or": […]}, {"not": …}.',
    remedy: '',
  })
}

/** The filter in a request; absent for `null`. */
export function parseFilter(
  input: unknown,
  previous: Filter | undefined,
  faults: Fault[],
): { readonly filter?: Filter } {
  if (input === undefined) return previous === undefined ? {} : { filter: previous }
  if (input === null) return {}
  faults.push(...faultsBelow('/filter', filterFaults(input)))
  return { filter: input }
}

export function parseSample(
  input: unknown,
  previous: Sample | undefined,
  faults: Fault[],
): { readonly sample?: Sample } {
  if (input === undefined) return previous === undefined ? {} : { sample: previous }
  if (input === null) return {}
  const hint = 'Use an object with a rate from 0 to 1: {"rate": 0.1, "by": "userId"}.'
  if (!isJsonObject(input)) {
    faults.push(fault('/sample', 'wrong_type', 'sample must be an object.', hint))
    return {}
  }
  const { rate, by = 'userId' } = input
  faults.push(...unknownFields(input, ['rate', 'by'], '/sample'))
  if (typeof rate !== 'number' || !(rate >= 0 && rate <= 1))
    faults.push(fault('/sample/rate', 'out_of_range', 'rate must be from 0 to 1.', hint))
  if (!SAMPLE_FIELDS.some((name) => name === by)) {
    const fields = `Use one of ${SAMPLE_FIELDS.join(', ')}.`
    faults.push(fault('/sample/by', 'not_allowed', 'Unknown field.', fields))
  }
  return { sample: { rate: Number(rate), by: by as Sample['by'] } }
}

function checkClause(input: JsonObject, pointer: string, faults: Fault[]): void {
  const { type, event, where } = input
  if (type !== undefined && !EVENT_TYPES.some((each) => each === type)) {
    const hint = `Use one of ${EVENT_TYPES.join(', ')}.`
    faults.push(fault(`${pointer}/type`, 'not_allowed', 'Unknown type.', hint))
  } else if (event !== undefined && type !== undefined && type !== 'track') {
    const hint = 'Only track events have names. For a page or screen, compare {"field": "name"}.'
    faults.push(fault(`${pointer}/event`, 'exclusive', 'event conflicts with type.', hint))
  }
  if (event !== undefined) checkNames(event, `${pointer}/event`, faults)
  if (where !== undefined) checkWhere(where, `${pointer}/where`, faults)
}

function checkNames(names: Json, pointer: string, faults: Fault[]): void {
  const hint = 'Use the name of a track event, or a list of names. A * at the end matches any end.'
  if (!Array.isArray(names)) checkText(names, pointer, hint, faults)
  else if (names.length === 0 || names.length > MAX_NAMES) {
    const message = `event must have 1 to ${MAX_NAMES} names.`
    faults.push(fault(pointer, names.length === 0 ? 'too_few' : 'too_many', message, hint))
  } else names.forEach((name, index) => checkText(name, `${pointer}/${index}`, hint, faults))
}

function checkWhere(where: Json, pointer: string, faults: Fault[]): void {
  const hint = `Use a list of up to ${MAX_COMPARISONS} comparisons: [{"property": "revenue", "op": ">=", "value": 100}].`
  if (!Array.isArray(where))
    faults.push(fault(pointer, 'wrong_type', 'where must be a list.', hint))
  else if (where.length > MAX_COMPARISONS)
    faults.push(fault(pointer, 'too_many', 'Too many comparisons.', hint))
  else where.forEach((each, index) => checkCompared(each, `${pointer}/${index}`, hint, faults))
}

function checkCompared(input: Json, pointer: string, hint: string, faults: Fault[]): void {
  if (!isJsonObject(input)) {
    faults.push(fault(pointer, 'wrong_type', 'A comparison must be an object.', hint))
    return
  }
  faults.push(...unknownFields(input, [...COMPARED, 'op', 'value'], pointer))
  const [compared, other] = COMPARED.filter((name) => Object.hasOwn(input, name))
  const one = `Use one of ${COMPARED.join(', ')}.`
  if (compared === undefined)
    faults.push(fault(pointer, 'required', 'It does not say what to compare.', one))
  else if (other !== undefined)
    faults.push(
      fault(`${pointer}/${other}`, 'exclusive', `${other} conflicts with ${compared}.`, one),
    )
  else if (compared !== 'field') checkPath(input[compared], `${pointer}/${compared}`, faults)
  else if (!FILTER_FIELDS.some((field) => field === input['field'])) {
    const fields = `Use one of ${FILTER_FIELDS.join(', ')}.`
    faults.push(fault(`${pointer}/field`, 'not_allowed', 'Unknown field.', fields))
  }
  checkComparison(input, pointer, faults)
}
