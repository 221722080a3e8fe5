/** The unique ids in pasted text with one id per line. */
export function userIdsIn(text: string): string[] {
  const ids = text.split('\n').map((line) => line.trim())
  return [...new Set(ids.filter((id) => id !== ''))]
}
