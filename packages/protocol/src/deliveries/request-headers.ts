/**
 * Headers of a webhook request that static headers must not set, in lower case: set by Hookline, or part of the
 * connection. A trailing `*` matches anything.
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
    'traceparent',
    'tracestate',
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
    // Assigning this key to an object of headers adds no entry, so the header would not be sent.
    '__proto__',
  ],
} as const

/** A token, as in the names of headers (RFC 9110 §5.6.2). */
export const HEADER_NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/

/** The group that reserves the header; `undefined` if a static header may set it. */
export function reservedBy(name: string): keyof typeof RESERVED_HEADERS | undefined {
  const lower = name.toLowerCase()
  const owners = ['hookline', 'connection'] as const
  return owners.find((owner) => RESERVED_HEADERS[owner].some((each) => matches(lower, each)))
}

function matches(name: string, pattern: string): boolean {
  return pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern
}
