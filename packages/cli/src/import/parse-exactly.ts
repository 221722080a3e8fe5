import { inexactIntegers } from '@hookline/protocol'

/** JSON.rawJSON, which the compiler does not know yet. */
const { rawJSON } = JSON as unknown as { readonly rawJSON: (text: string) => unknown }

type Revive = (key: string, value: unknown, context: { readonly source?: string }) => unknown

/**
 * JSON.parse, but integers too large for JavaScript become what JSON.stringify writes as they were
 * spelled. Throws a SyntaxError for what is no JSON.
 */
export function parseExactly(text: string): unknown {
  if (inexactIntegers(text).size === 0) return JSON.parse(text)
  const revive: Revive = (_key, value, { source = '' }) =>
    typeof value === 'number' && inexactIntegers(source).size > 0 ? rawJSON(source) : value
  return JSON.parse(text, revive as Parameters<typeof JSON.parse>[1])
}
