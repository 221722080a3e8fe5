/** The event names in the logger calls of this code, ignoring comments. */
export function loggedEvents(code: string): string[] {
  const lines = code.split('\n').filter((line) => !/^\s*(?:\/\/|\/\*|\*)/.test(line))
  const calls = lines.join('\n').matchAll(/logger\??\.(?:debug|info|warn|error|fatal)\(/gi)
  return Array.from(calls, ({ 0: { length }, index, input }) =>
    lastName(input.slice(index + length)),
  ).filter((name) => name !== undefined)
}

/** The last argument of a call, if it is a string. `rest` is the code after the opening bracket. */
function lastName(rest: string): string | undefined {
  let depth = 1
  for (const { 0: bracket, index } of rest.matchAll(/[()]/g)) {
    depth += bracket === '(' ? 1 : -1
    if (depth === 0) return /'([^']+)',?\s*$/.exec(rest.slice(0, index))?.[1]
  }
  return undefined
}
