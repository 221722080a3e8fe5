/** What a text of the database says, or `undefined` where it is no JSON any more. */
export function readJson(text: unknown): unknown {
  try {
    return JSON.parse(String(text)) as unknown
  } catch {
    return undefined
  }
}
