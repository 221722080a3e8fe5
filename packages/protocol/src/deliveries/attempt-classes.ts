/** The meaning of a class of attempts and what the owner of the webhook can do, as docs/reference/errors.md shows it. */
export interface AttemptClassInfo {
  readonly meaning: string
  readonly help: string
}

/**
 * Every class of attempts (spec 02 §What an answer means). `http_…` and `redirect` are responses outside 2xx. The
 * classes after them had no complete response.
 */
export const ATTEMPT_CLASSES = {
  delivered: {
    meaning: 'The receiver responded 2xx.',
    help: 'Nothing to do.',
  },
  http_5xx: {
    meaning: 'The receiver responded 5xx. Hookline tries again.',
    help: "Look into the receiver's own log at the time of the attempt. Hookline keeps the start of the response.",
  },
  http_throttled: {
    meaning:
      'The receiver responded 408, 425 or 429. Hookline tries again, not before its Retry-After.',
    help: 'Nothing to do if it stops by itself. Otherwise let the receiver accept more requests, or respond before it processes them.',
  },
  http_4xx: {
    meaning: 'The receiver responded 4xx: it refuses this request. Hookline does not try again.',
    help: 'Compare URL, static headers and shared secret with what the receiver expects, then retry the delivery.',
  },
  redirect: {
    meaning: 'The receiver responded 3xx. Hookline follows no redirect and does not try again.',
    help: 'Set the URL to the one in the Location header. Common causes are http instead of https, and a slash at the end.',
  },
  timeout: {
    meaning:
      'There was no response in time: 5 s from the name look-up to the last header. Hookline tries again.',
    help: 'Let the receiver respond 2xx as soon as it has the request, and process it afterwards.',
  },
  connection_failed: {
    meaning: 'There was no connection, or it broke before the response. Hookline tries again.',
    help: 'Check that the receiver runs, and that host, port, firewall and TLS version let Hookline in.',
  },
  dns_failed: {
    meaning: 'The host name has no address, or no name server responded. Hookline tries again.',
    help: 'Check the spelling of the host, its DNS records, and the resolver of the machine Hookline runs on.',
  },
  proxy_failed: {
    meaning:
      'The proxy of the setting egressProxy could not be reached, refused its credentials, or made no connection to the receiver. Hookline tries again.',
    help: 'Check that the proxy runs and what its log says. It must allow CONNECT to the host and the port of the webhook. Then check the receiver.',
  },
  protocol_error: {
    meaning: 'The response is not valid HTTP/1.1. Hookline tries again.',
    help: 'Check that the port speaks HTTP, with TLS if the URL says https. Check proxies in front of it.',
  },
  certificate_invalid: {
    meaning:
      'The certificate is self-signed, expired, for another host or from an unknown issuer. Hookline sent no request, and tries again until the retry window ends.',
    help: 'Install a valid certificate with its whole chain. For your own certificate authority, set tlsCaFile.',
  },
  address_forbidden: {
    meaning:
      'The host resolves to a private, loopback or reserved address. Hookline made no connection and paused the webhook. Its deliveries are held, and rejected after their retry window.',
    help: 'If the address is correct, the operator can allow its network with the setting allowedNetworks: after the restart, Hookline tries again. If not, correct the URL and resume the destination.',
  },
  port_forbidden: {
    meaning:
      'The port of the URL belongs to a service other than a web server, such as a database. Hookline made no connection and paused the webhook. Its deliveries are held, and rejected after their retry window.',
    help: 'Correct the URL and resume the destination. If a web server listens on this port, the operator can allow it with the setting allowedPorts: after the restart, Hookline tries again.',
  },
  request_invalid: {
    meaning:
      'Hookline cannot send the request, because a static header or the URL is invalid. It sent nothing and does not try again.',
    help: 'Remove the static header that the error of the attempt names, or correct the URL, then send it again.',
  },
  internal_error: {
    meaning:
      'A bug in Hookline stopped the attempt. Hookline does not try again. The other webhooks of the destination are not affected.',
    help: 'The operator finds the error in the log, as `attempt.fault`. Report it, and retry the delivery with a version that corrects it.',
  },
} as const satisfies Record<string, AttemptClassInfo>

export type AttemptClass = keyof typeof ATTEMPT_CLASSES
