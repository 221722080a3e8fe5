/**
 * The headers of a webhook request that no static header may set, in lower case: those that Hookline sets, and those
 * that belong to the connection. `*` at the end stands for any text.
 */
export const RESERVED_HEADERS = {
  hookline: [
    'user-agent',
    'content-type',
    'accept-encoding',
    'x-signature',
    'webhook-id',
    'webhook-timestamp',
    'webhook-signature',
    'x-hookline-*',
  ],
  connection: [
    'host',
    'connection',
    'content-length',
    'transfer-encoding',
    'upgrade',
    'expect',
    'keep-alive',
    'te',
    'trailer',
    'proxy-*',
    // An object of headers has no such entry, so it would not be sent.
    '__proto__',
  ],
} as const

/** Which of the two sets the header; `undefined` when a static header may. */
export function reservedBy(name: string): keyof typeof RESERVED_HEADERS | undefined {
  const lower = name.toLowerCase()
  const owners = ['hookline', 'connection'] as const
  return owners.find((owner) => RESERVED_HEADERS[owner].some((each) => matches(lower, each)))
}

function matches(name: string, pattern: string): boolean {
  return pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern
}
