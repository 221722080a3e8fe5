import { LIMITS } from '@hookline/protocol'
import { type Fault, fault } from '../../../util/fault.ts'

const MOST = LIMITS.conditionTextCharacters

/** Whether `value` is a text that is not empty and not too long. Otherwise adds a fault. `hint` says what it must be. */
export function checkText(
  value: unknown,
  pointer: string,
  hint: string,
  faults: Fault[],
): value is string {
  const found = textFault(value, pointer, hint)
  if (found !== undefined) faults.push(found)
  return found === undefined
}

function textFault(value: unknown, pointer: string, hint: string): Fault | undefined {
  if (value === undefined) return fault(pointer, 'required', 'It is missing.', hint)
  if (typeof value !== 'string') return fault(pointer, 'wrong_type', 'It must be a text.', hint)
  if (value === '') return fault(pointer, 'too_short', 'It must not be empty.', hint)
  if (value.length > MOST) {
    return fault(pointer, 'too_long', 'It is too long.', `Keep it at ${MOST} characters or fewer.`)
  }
  return undefined
}
