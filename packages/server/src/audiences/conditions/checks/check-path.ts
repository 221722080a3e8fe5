import { pathOf } from '@hookline/protocol'
import { type Fault, fault } from '../../../util/fault.ts'
import { checkText } from './check-text.ts'

/** Adds faults of what must be the path of a trait or a property: `plan`, `address.city`. */
export function checkPath(value: unknown, pointer: string, faults: Fault[]): void {
  const hint = 'Give a name, or a path with a dot between its names: "address.city".'
  if (checkText(value, pointer, hint, faults) && pathOf(value).includes('')) {
    faults.push(fault(pointer, 'wrong_form', 'A name in the path is empty.', hint))
  }
}
