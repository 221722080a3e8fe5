/** The names of the events that the calls of a logger in this code write. A call outside a comment counts, and only that. */
export function loggedEvents(code: string): string[] {
  const lines = code.split('\n').filter((line) => !/^\s*(?:\/\/|\/\*|\*)/.test(line))
  const calls = lines.join('\n').matchAll(/logger\??\.(?:debug|info|warn|error|fatal)\(/gi)
  return Array.from(calls, ({ 0: { length }, index, input }) =>
    lastName(input.slice(index + length)),
  ).filter((name) => name !== undefined)
}

/** The text that is the last argument of a call. `rest`: what follows its opening bracket. */
function lastName(rest: string): string | undefined {
  let depth = 1
  for (const { 0: bracket, index } of rest.matchAll(/[()]/g)) {
    depth += bracket === '(' ? 1 : -1
    if (depth === 0) return /'([^']+)',?\s*$/.exec(rest.slice(0, index))?.[1]
  }
  return undefined
}
