import { isJsonObject, type Json } from '@hookline/protocol'

/** A change of an audience or a computed trait, as an identify call tells it. */
export interface AudienceChange {
  /** The name of the trait. */
  readonly key: string
  readonly value: Json
}

/** The change that a payload tells; `undefined` where it is no such identify call. */
export function audienceChange(payload: Json): AudienceChange | undefined {
  if (!isJsonObject(payload) || !isJsonObject(payload['context'])) return undefined
  const { audience, computedTrait } = payload['context']
  const computation = audience ?? computedTrait
  const key = isJsonObject(computation) ? computation['key'] : undefined
  if (typeof key !== 'string' || !isJsonObject(payload['traits'])) return undefined
  const value = Object.hasOwn(payload['traits'], key) ? payload['traits'][key] : undefined
  return value === undefined ? undefined : { key, value }
}
