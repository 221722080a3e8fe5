/** What a class of attempts says, and what the owner of the webhook does about it, as docs/errors.md gives it. */
export interface AttemptClassInfo {
  readonly meaning: string
  readonly help: string
}

/**
 * Every class that an attempt can be of (spec 02 §What an answer means). `http_…` and `redirect` are
 * answers outside 2xx; what follows them never got a whole answer.
 */
export const ATTEMPT_CLASSES = {
  delivered: {
    meaning: 'The receiver answered 2xx.',
    help: 'Nothing to do.',
  },
  http_5xx: {
    meaning: 'The receiver answered 5xx. It is tried again.',
    help: "Look into the receiver's own log at the time of the attempt; the start of its answer is kept.",
  },
  http_throttled: {
    meaning:
      'The receiver answered 408, 425 or 429. It is tried again, not before its Retry-After.',
    help: 'Nothing to do if it passes. Else let the receiver take more, or answer first and work later.',
  },
  http_4xx: {
    meaning:
      'The receiver answered another 4xx: it does not want this request. It is not tried again.',
    help: 'Compare URL, static headers and shared secret with what the receiver expects, then send it again.',
  },
  redirect: {
    meaning: 'The receiver answered 3xx. Redirects are never followed; it is not tried again.',
    help: 'Make the URL the one that the Location header names; mind http against https and a trailing slash.',
  },
  timeout: {
    meaning:
      'No answer came in time: 5 s from the name look-up to the last header. It is tried again.',
    help: 'Let the receiver answer 2xx as soon as it holds the request, and work on it afterwards.',
  },
  connection_failed: {
    meaning: 'No connection, or it broke before the answer. It is tried again.',
    help: 'Check that the receiver runs, and that host, port, firewall and TLS version let Hookline in.',
  },
  dns_failed: {
    meaning: 'The host name has no address, or no name server answered. It is tried again.',
    help: 'Check the spelling of the host, its DNS records, and the resolver of the machine Hookline runs on.',
  },
  protocol_error: {
    meaning: 'What came back is not an answer as HTTP/1.1 has it. It is tried again.',
    help: 'Check that the port speaks HTTP, with TLS where the URL says https, and what stands in front of it.',
  },
  certificate_invalid: {
    meaning:
      'The certificate is self-signed, expired, for another host or from an unknown issuer. No request was sent; it is not tried again.',
    help: 'Install a valid certificate with its whole chain; for an authority of your own, set tlsCaFile.',
  },
  address_forbidden: {
    meaning:
      'The host leads to a private, loopback or reserved address. No connection was made; it is not tried again.',
    help: 'If the receiver is meant to be there, the operator opens its network with the setting allowedNetworks.',
  },
  port_forbidden: {
    meaning:
      'The port of the URL is for something that is no web server, such as a database. No connection was made; it is not tried again.',
    help: 'Give the URL of the receiver; if a web server listens there, the operator opens the port with the setting allowedPorts.',
  },
} as const satisfies Record<string, AttemptClassInfo>

/** What one attempt came to, by class. */
export type AttemptClass = keyof typeof ATTEMPT_CLASSES
