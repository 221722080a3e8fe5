import type { Json } from '@hookline/protocol'

/** The values in a row of `profile_traits`, without those of removed traits; none where the profile has no row. */
export function traitValuesIn(stored: string | null): Readonly<Record<string, Json>> {
  // Without a prototype, so that a trait named __proto__ is one like any other.
  const values = Object.create(null) as Record<string, Json>
  if (stored === null) return values
  const traits = JSON.parse(stored) as Readonly<Record<string, readonly [value: Json]>>
  for (const [name, [value]] of Object.entries(traits)) if (value !== null) values[name] = value
  return values
}

/** The value in a column with JSON; `undefined` where there is none. */
export function jsonIn(stored: string | null): Json | undefined {
  return stored === null ? undefined : (JSON.parse(stored) as Json)
}
