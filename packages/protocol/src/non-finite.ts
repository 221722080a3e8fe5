/**
 * A string, which is left unchanged, or `NaN` or `Infinity`, which Python writes although JSON has no such numbers. An
 * unterminated string extends to the end of the body, so that no quote is scanned twice.
 */
const TEXT_OR_NON_FINITE = /"[^"\\]*(?:\\.[^"\\]*)*(?:"|\\?$)|-?\b(?:NaN|Infinity)\b/gs

/** JSON.parse reads it as Infinity. */
const INFINITE = '1e999'

/**
 * Makes JSON with `NaN`, `Infinity` and `-Infinity` parsable: each of them is parsed as `Infinity`. `undefined` if the text
 * contains none of them.
 */
export function withoutNonFinite(text: string): string | undefined {
  if (!text.includes('NaN') && !text.includes('Infinity')) return undefined
  const replaced = text.replace(TEXT_OR_NON_FINITE, (found) =>
    found.startsWith('"') ? found : INFINITE,
  )
  return replaced === text ? undefined : replaced
}
