import { EVENT_TYPES, isJsonObject, type Json, type JsonObject, LIMITS } from '@hookline/protocol'
import { type Fault, fault, unknownFields } from '../../../util/fault.ts'
import { checkComparison } from './check-comparison.ts'
import { checkPath } from './check-path.ts'
import { checkText } from './check-text.ts'

const TYPES = EVENT_TYPES.filter((type) => type !== 'track')
const NAMED: readonly unknown[] = ['page', 'screen']
const MOST_FILTERS = LIMITS.filtersPerClause

/** The fields of a selection of events, by what it selects them by. */
export const SELECTION_FIELDS = {
  event: ['event', 'where'],
  type: ['type', 'name', 'where'],
} as const

/** Adds faults of which events `input` selects. It has `event` or `type`. */
export function checkSelection(input: JsonObject, pointer: string, faults: Fault[]): void {
  if (Object.hasOwn(input, 'type')) checkType(input, pointer, faults)
  else checkText(input['event'], `${pointer}/event`, 'Give the name of a track event.', faults)
  if (input['where'] !== undefined) checkWhere(input['where'], `${pointer}/where`, faults)
}

function checkType({ type, name }: JsonObject, pointer: string, faults: Fault[]): void {
  if (!TYPES.some((each) => each === type)) {
    const hint = `Give one of ${TYPES.join(', ')}. For track calls, give event, the name of the event.`
    faults.push(fault(`${pointer}/type`, 'not_allowed', 'There is no such type.', hint))
  } else if (name !== undefined && !NAMED.includes(type)) {
    const hint = 'Leave it out: only page and screen calls have names.'
    faults.push(fault(`${pointer}/name`, 'not_allowed', 'Calls of this type have no name.', hint))
  } else if (name !== undefined) {
    checkText(name, `${pointer}/name`, 'Give the name of the page or the screen.', faults)
  }
}

function checkWhere(where: Json, pointer: string, faults: Fault[]): void {
  const hint = `Give a list of up to ${MOST_FILTERS} filters: [{"property": "revenue", "op": ">", "value": 50}].`
  if (!Array.isArray(where)) {
    faults.push(fault(pointer, 'wrong_type', 'where must be a list.', hint))
  } else if (where.length > MOST_FILTERS) {
    faults.push(fault(pointer, 'too_many', 'There are too many filters.', hint))
  } else {
    for (const [index, filter] of where.entries()) {
      checkFilter(filter, `${pointer}/${index}`, faults)
    }
  }
}

function checkFilter(filter: Json, pointer: string, faults: Fault[]): void {
  if (!isJsonObject(filter)) {
    const hint = 'Give an object: {"property": "revenue", "op": ">", "value": 50}.'
    faults.push(fault(pointer, 'wrong_type', 'A filter must be an object.', hint))
    return
  }
  faults.push(...unknownFields(filter, ['property', 'op', 'value'], pointer))
  checkPath(filter['property'], `${pointer}/property`, faults)
  checkComparison(filter, pointer, faults)
}
