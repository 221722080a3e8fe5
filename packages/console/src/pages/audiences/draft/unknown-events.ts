import { isJsonObject, type Json } from '@hookline/protocol'
import { MOST_SUGGESTED, type Suggestions } from './suggestions.ts'

/** The names of events that a definition counts and that no recent event had: half-written ones, and ones that do not exist. */
export function unknownEvents(
  definition: Json | undefined,
  { track }: Pick<Suggestions, 'track'>,
): readonly string[] {
  // Of so many names, the rare ones are not among them.
  if (track.length === MOST_SUGGESTED) return []
  return [...new Set(eventsIn(definition))].filter((name) => !track.includes(name))
}

function eventsIn(part: Json | undefined): readonly string[] {
  if (!isJsonObject(part)) return []
  const { event, and, or, not } = part
  const inner = [and, or].flatMap((each): readonly Json[] => (Array.isArray(each) ? each : []))
  const own = typeof event === 'string' && event !== '' ? [event] : []
  return [...own, ...inner.flatMap((each) => eventsIn(each)), ...eventsIn(not)]
}
