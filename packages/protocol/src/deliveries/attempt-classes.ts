/** The meaning of a class of attempts and the remedy, for docs/reference/errors.md and the console. */
export interface AttemptClassInfo {
  readonly meaning: string
  readonly help: string
}

/**
 * All classes of attempts. `http_…` and `redirect` are responses outside 2xx. The classes
 * after them are for attempts without a complete HTTP response.
 */
export const ATTEMPT_CLASSES = {
  delivered: { meaning: 'The receiver responded with a 2xx.', help: 'Nothing to do.' },
  http_5xx: {
    meaning: 'The receiver responded with a 5xx. Hookline tries again.',
    help: "Check the receiver's log at the time of the attempt. Hookline stores the start of the response.",
  },
  http_throttled: {
    meaning:
      'The receiver responded with 408, 425 or 429. Hookline tries again after the time in Retry-After, but waits at most an hour.',
    help: 'No action is needed if this is temporary. Otherwise, make the receiver accept more requests, or respond before it processes them.',
  },
  http_4xx: {
    meaning:
      "The receiver rejected the request with a 4xx. Hookline does not try again, unless the webhook's limits.retryOn includes the status.",
    help: "Compare method, URL, static headers, auth, secrets and body with the receiver's requirements, then retry the delivery. If the receiver would accept the same request later, add the status to the webhook's limits.retryOn.",
  },
  redirect: {
    meaning:
      'The receiver responded with a 3xx. Hookline does not follow redirects and does not try again.',
    help: 'Set the URL to the one in the Location header. Common causes are http instead of https, and a trailing slash.',
  },
  timeout: {
    meaning:
      "There was no response within attemptTimeout (5 s by default) or the webhook's limits.timeout, measured from the DNS lookup to the last response header. Hookline tries again.",
    help: 'Make the receiver respond with a 2xx as soon as it has received the request, and process it afterwards.',
  },
  connection_failed: {
    meaning: 'The connection failed, or was closed before the response. Hookline tries again.',
    help: 'Check that the receiver is running, and check the host, port, firewall and TLS version. If it requires a client certificate, check the one in auth.',
  },
  dns_failed: {
    meaning: 'The host name has no address, or no name server responded. Hookline tries again.',
    help: 'Check the spelling of the host, its DNS records, and the resolver on the machine that Hookline runs on.',
  },
  proxy_failed: {
    meaning:
      'The proxy in the egressProxy setting was unreachable, rejected its credentials, or could not connect to the receiver. Hookline tries again.',
    help: "Check that the proxy is running, and check its log. It must allow CONNECT to the webhook's host and port. Then check the receiver.",
  },
  auth_failed: {
    meaning:
      "Hookline got no access token from the token endpoint in the webhook's auth, so it did not send the event. Hookline makes no attempts to the webhook for 5 seconds, or for the time in the endpoint's Retry-After (at most an hour). After that, it retries the delivery as usual. The breaker counts this as a failed connection.",
    help: "Compare tokenUrl, clientId, clientSecret, scope, audience and resource with the client's settings at the authorization server. The attempt's error contains the server's response.",
  },
  mail_refused: {
    meaning:
      'The mail server refused the message, all recipients, or the user and password. Hookline tries again.',
    help: "Compare user, password, sender and recipients with the mail server's requirements. The attempt's error contains the server's reply.",
  },
  protocol_error: {
    meaning: 'The response is not valid HTTP/1.1. Hookline tries again.',
    help: 'Check that the port serves HTTP, with TLS if the URL starts with https. Check any proxies in front of it.',
  },
  certificate_invalid: {
    meaning:
      'The certificate is self-signed, expired, for another host or from an unknown issuer. Hookline sent no request, and tries again until the retry window ends.',
    help: 'Install a valid certificate with its full chain. For your own certificate authority, set tlsCaFile.',
  },
  address_forbidden: {
    meaning:
      'The host resolves to a private, loopback or reserved address. Hookline did not connect, and paused the webhook. Its deliveries are held, and fail when their retry window ends.',
    help: 'If the address is correct, the operator can add its network to the allowedNetworks setting and restart Hookline, which then tries again. If not, correct the URL.',
  },
  port_forbidden: {
    meaning:
      'The port of the URL belongs to a service other than a web server, such as a database. Hookline did not connect, and paused the webhook. Its deliveries are held, and fail when their retry window ends.',
    help: 'Correct the URL. If a web server listens on this port, the operator can add the port to the allowedPorts setting and restart Hookline, which then tries again.',
  },
  request_invalid: {
    meaning:
      'Hookline cannot send the request: a static header is invalid, the URL is invalid or becomes invalid when its placeholders are filled in, or the transform for an email did not return a subject and a text. It sent nothing and does not try again.',
    help: "Remove the static header named in the attempt's error, or correct the URL or the transform, then retry the delivery. To exclude events whose values are unsuitable for the URL, use a filter.",
  },
  transform_failed: {
    meaning:
      "The destination's transform failed or exceeded its limits. Hookline sent nothing and does not try again.",
    help: "Correct the transform. The attempt's error contains the cause, and the position if it is known. To send all events that failed, use a replay.",
  },
  transform_declined: {
    meaning:
      "The destination's transform returned nothing for the event, so Hookline sent nothing.",
    help: 'To send such events, change the transform. A replay that includes declined events then sends this one.',
  },
  internal_error: {
    meaning:
      "A bug in Hookline stopped the attempt. Hookline does not try again. The destination's other webhooks are not affected.",
    help: 'Look for `attempt.crashed` in the log. Report the error, and retry the delivery after upgrading to a version with the fix.',
  },
} as const satisfies Record<string, AttemptClassInfo>

export type AttemptClass = keyof typeof ATTEMPT_CLASSES

/** The error for an attempt that failed because of the response status alone. */
export function statusError(status: number): string {
  return `The receiver responded with ${status}.`
}
