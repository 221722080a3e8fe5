import { isJsonObject, type Json } from '@hookline/protocol'

export interface AudienceChange {
  readonly key: string
  readonly value: Json
}

/** The audience or computed trait that an identify payload changes, if any. */
export function audienceChange(payload: Json): AudienceChange | undefined {
  if (!isJsonObject(payload) || !isJsonObject(payload['context'])) return undefined
  const { audience, computedTrait } = payload['context']
  const computation = audience ?? computedTrait
  const key = isJsonObject(computation) ? computation['key'] : undefined
  if (typeof key !== 'string' || !isJsonObject(payload['traits'])) return undefined
  const value = Object.hasOwn(payload['traits'], key) ? payload['traits'][key] : undefined
  return value === undefined ? undefined : { key, value }
}
