import { isDeepStrictEqual } from 'node:util'

const SHOWN_CHARACTERS = 80

type Fields = Readonly<Record<string, unknown>>

/**
 * Describes each value that differs. With `mayHaveMore`, objects may have additional members. Numbers are compared as JSON, which
 * has no -0.
 */
export function differences(
  expected: unknown,
  found: unknown,
  { mayHaveMore = false, at = '' } = {},
): string[] {
  if (isFields(expected) && isFields(found)) {
    const names = mayHaveMore ? Object.keys(expected) : Object.keys({ ...expected, ...found })
    return names.flatMap((name) =>
      differences(expected[name], found[name], { mayHaveMore, at: `${at}.${name}` }),
    )
  }
  if (isDeepStrictEqual(asJson(expected), asJson(found))) return []
  return [`${at} is ${shown(found)}, expected ${shown(expected)}`]
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function asJson(value: unknown): unknown {
  return value === undefined ? undefined : (JSON.parse(JSON.stringify(value)) as unknown)
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? 'missing'
  return text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text
}
