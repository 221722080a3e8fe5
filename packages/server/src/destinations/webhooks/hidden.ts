import { isJsonObject } from '@hookline/protocol'

/** A secret as the API shows it: that it is there, and perhaps how it ends, but not what it is. */
export interface Hidden {
  readonly set: true
  readonly last4?: string
}

// Of a shorter secret four characters would be too much.
const SHORTEST_WITH_LAST4 = 12

/** `secret` as it is shown: with its last four characters where that gives little of it away. */
export function hide(secret: string): Hidden {
  return secret.length < SHORTEST_WITH_LAST4
    ? { set: true }
    : { set: true, last4: secret.slice(-4) }
}

/** Whether `value` is a secret in its hidden form, given back instead of a new one. */
export function isHidden(value: unknown): value is Hidden {
  return isJsonObject(value) && value['set'] === true
}
