import type { FastifyRequest } from 'fastify'
import type { IncomingHttpHeaders } from 'node:http'

const LOOPBACK_ADDRESS = /^(?:::ffff:)?127\.|^::1$/
const LOOPBACK_HOST = /^(?:localhost|127(?:\.\d+){3}|\[::1\])(?::\d+)?$/i
/** What reverse proxies and tunnels add: the browser may be anywhere. */
const FORWARDING_HEADER =
  /^(?:forwarded|via|cf-.+|.*-client-?ip|x-real-ip|x-.*forwarded.*|x-.*-external-address)$/

/**
 * Whether a request comes from a browser or program on this machine, to an address of this machine. A page of another site
 * whose name resolves to 127.0.0.1 (DNS rebinding) names itself in `Host`.
 */
export function isFromBrowserHere({ raw, headers }: FastifyRequest): boolean {
  const isFromHere = LOOPBACK_ADDRESS.test(raw.socket.remoteAddress ?? '')
  const isForwarded = Object.keys(headers).some((name) => FORWARDING_HEADER.test(name))
  return isFromHere && !isForwarded && LOOPBACK_HOST.test(headers.host ?? '')
}

/** Whether a browser says that a page of another site, or of another port of this machine, caused the request. */
export function isFromOtherSite(headers: IncomingHttpHeaders): boolean {
  const site = headers['sec-fetch-site']
  return site !== undefined && site !== 'same-origin' && site !== 'none'
}
