import { requestHeaders, type WebhookRequest } from './webhook-request.ts'

/**
 * The headers of an attempt in their order. `hide` makes what stands in the place of the value of a static header, which
 * is a secret.
 */
export function shownRequestHeaders(
  request: WebhookRequest,
  nowMs: number,
  hide: (name: string) => string = () => '[hidden]',
): Record<string, string> {
  const secret = request.headers
  // A static header that Hookline's own header overrides is not sent.
  const isSecret = (name: string, value: string): boolean =>
    Object.hasOwn(secret, name) && secret[name] === value
  const sent = Object.entries(requestHeaders(request, nowMs))
  const shown = sent.map(([name, value]) => [name, isSecret(name, value) ? hide(name) : value])
  return Object.fromEntries(shown) as Record<string, string>
}
