/**
 * A whole text, which is left as it is, or a number that JSON does not have. Python writes these. A text without an end goes to
 * the end of the body, so that no quote is looked at twice.
 */
const TEXT_OR_NON_FINITE = /"[^"\\]*(?:\\.[^"\\]*)*(?:"|\\?$)|-?\b(?:NaN|Infinity)\b/gs

/** JSON.parse reads it as Infinity. */
const INFINITE = '1e999'

/**
 * The text with a number of JSON in place of each `NaN`, `Infinity` and `-Infinity`, so that it can be parsed: every such
 * number is `Infinity` then. `undefined` where it has none of them.
 */
export function withoutNonFinite(text: string): string | undefined {
  if (!text.includes('NaN') && !text.includes('Infinity')) return undefined
  const replaced = text.replace(TEXT_OR_NON_FINITE, (found) =>
    found.startsWith('"') ? found : INFINITE,
  )
  return replaced === text ? undefined : replaced
}
