import { isJsonObject } from '@hookline/protocol'

/** Whether `value` is the hidden form of a secret. */
export function isHidden(value: unknown): boolean {
  return isJsonObject(value) && value['set'] === true
}
