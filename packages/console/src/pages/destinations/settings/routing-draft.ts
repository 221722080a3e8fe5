import type { Destination } from '@hookline/cli/management-client'
import { isJsonObject, type Json } from '@hookline/protocol'
import {
  type DefinitionDraft,
  isDefinitionComplete,
  withText,
} from '../../../domain/conditions/draft/definition-draft.ts'
import { shownText } from '../../../format/shown-text.ts'
import { type FilterDraft, FILTERS, isFilterComplete } from './filter/filter-draft.ts'
import { type ShapeDraft, SHAPES } from './shape/shape-draft.ts'

/** The settings of the shape. */
const NAMES = ['sample', 'fields', 'format', 'method'] as const

export interface RoutingDraft {
  readonly filter: FilterDraft
  readonly shape: DefinitionDraft<ShapeDraft>
  /** Empty: none. It has its own field, because JSON allows no line breaks in strings. */
  readonly transform: string
}

export function routingDraftOf({ settings }: Pick<Destination, 'settings'>): RoutingDraft {
  const stored = NAMES.flatMap((name) => {
    const value = settings[name]
    return value === undefined || value === null ? [] : [[name, value]]
  })
  const text = (json: object): string => JSON.stringify(json, null, 2)
  return {
    filter: settings.filter ? withText(FILTERS, text(settings.filter)) : null,
    shape: withText(SHAPES, text(Object.fromEntries(stored))),
    transform: settings.transform ?? '',
  }
}

/** The settings to save; `undefined` if they are incomplete or have an error. `null` removes a setting. */
export function requestedRouting({ filter, shape, transform }: RoutingDraft): object | undefined {
  const { json } = shape
  if (!isJsonObject(json) || shapeError(json) !== undefined) return undefined
  if (!isFilterComplete(filter) || !isDefinitionComplete(SHAPES, shape)) return undefined
  const requested = NAMES.map((name) => [name, json[name] ?? null])
  return {
    filter: filter?.json ?? null,
    ...Object.fromEntries(requested),
    transform: isBlank(transform) ? null : transform,
  }
}

/** Why the JSON of the shape cannot be saved. The service would ignore unknown settings. */
export function shapeError(json: Json | undefined): string | undefined {
  if (json === undefined) return undefined
  if (!isJsonObject(json)) return 'Use a JSON object.'
  const unknown = Object.keys(json).find((each) => !NAMES.some((name) => name === each))
  if (unknown === undefined) return undefined
  return unknown === 'transform' || unknown === 'filter'
    ? `Enter the ${unknown} in its own field.`
    : `Unknown setting: ${shownText(unknown, 60)}.`
}

export function isBlank(text: string): boolean {
  return text.trim() === ''
}
