/** The ids in a text with one in each line, each once. Spaces around an id belong to the way it was pasted. */
export function userIdsIn(text: string): string[] {
  const ids = text.split('\n').map((line) => line.trim())
  return [...new Set(ids.filter((id) => id !== ''))]
}
