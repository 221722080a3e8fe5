import type { Json } from '@hookline/protocol'

/** The values in a row of `profile_traits`, without those of removed traits; none where the profile has no row. */
export function traitValuesIn(stored: string | null): Readonly<Record<string, Json>> {
  // Without a prototype, so that a trait named __proto__ is one like any other.
  const values = Object.create(null) as Record<string, Json>
  for (const [name, trait] of Object.entries(jsonIn(stored) ?? {}))
    if (Array.isArray(trait) && trait[0] !== null) values[name] = trait[0] as Json
  return values
}

/** The value in a column with JSON; `undefined` if there is none, or if the text is damaged and no longer JSON. */
export function jsonIn(stored: string | null): Json | undefined {
  if (stored === null) return undefined
  try {
    return JSON.parse(stored) as Json
  } catch {
    return undefined
  }
}
