import { isJsonObject } from '@hookline/protocol'

/** A secret as the API shows it: that it is set, and perhaps its last four characters. */
export interface Hidden {
  readonly set: true
  readonly last4?: string
}

// Four characters would reveal too much of a shorter secret.
const SHORTEST_WITH_LAST4 = 12

/** Hides a secret. Shows its last four characters if the secret is long enough. */
export function hide(secret: string): Hidden {
  return secret.length < SHORTEST_WITH_LAST4
    ? { set: true }
    : { set: true, last4: secret.slice(-4) }
}

/** Whether `value` is a hidden secret, which a client sent back instead of a new secret. */
export function isHidden(value: unknown): value is Hidden {
  return isJsonObject(value) && value['set'] === true
}
