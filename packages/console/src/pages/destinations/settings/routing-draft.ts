import { isJsonObject, type JsonObject } from '@hookline/protocol'
import type { Destination } from '@hookline/cli/management-client'
import { shownText } from '../../../format/shown-text.ts'

/** The settings that are edited as JSON. The transform has its own field, because JSON allows no line breaks in strings. */
const NAMES = ['filter', 'sample', 'fields', 'format'] as const

export interface RoutingDraft {
  readonly json: string
  /** Empty: none. */
  readonly transform: string
}

export function routingDraftOf({ settings }: Pick<Destination, 'settings'>): RoutingDraft {
  const stored = NAMES.flatMap((name) => {
    const value = settings[name]
    return value === undefined || value === null ? [] : [[name, value]]
  })
  const json = stored.length === 0 ? '' : JSON.stringify(Object.fromEntries(stored), null, 2)
  return { json, transform: settings.transform ?? '' }
}

/** The settings to save; `undefined` if the JSON has a fault. `null` removes a setting. */
export function requestedRouting({ json, transform }: RoutingDraft): object | undefined {
  const entered = objectIn(json)
  if (entered === undefined || jsonFault(json) !== undefined) return undefined
  const requested = NAMES.map((name) => [name, entered[name] ?? null])
  return { ...Object.fromEntries(requested), transform: isBlank(transform) ? null : transform }
}

/** The settings in the text; `undefined` if it is not a JSON object. */
export function objectIn(json: string): JsonObject | undefined {
  if (isBlank(json)) return {}
  try {
    const value: unknown = JSON.parse(json)
    return isJsonObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

export function jsonFault(json: string): string | undefined {
  const entered = objectIn(json)
  if (entered === undefined) return 'Invalid JSON.'
  const unknown = Object.keys(entered).find((each) => !NAMES.some((name) => name === each))
  if (unknown === undefined) return undefined
  return unknown === 'transform'
    ? 'Enter the transform in its own field.'
    : `Unknown setting: ${shownText(unknown, 60)}.`
}

export function isBlank(text: string): boolean {
  return text.trim() === ''
}
