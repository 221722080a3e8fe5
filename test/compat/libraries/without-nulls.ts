import type { Call } from '../scenarios/call.ts'

type Fields = Readonly<Record<string, unknown>>

/** The call without null members of traits and properties, for libraries that omit them. */
export function withoutNulls({ traits, properties, ...call }: Call): Call {
  return {
    ...call,
    ...(traits !== undefined && { traits: presentIn(traits) }),
    ...(properties !== undefined && { properties: presentIn(properties) }),
  }
}

function presentIn(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null))
}
