import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { request } from 'node:https'
import type { ReceivedResponse, SentRequest } from '@hookline/testing/network/http-exchange'

/** A TLS server and its certificate authority. */
export interface SecureServer {
  readonly port: number
  /** The authority of its certificate for `localhost`, as PEM. */
  readonly ca: string
}

/** The address of the client, which differs from the proxy's. */
export const CLIENT_ADDRESS = '127.0.0.2'

/** Sends one request over TLS. Resolves with the response when its headers have arrived. */
export async function openHttps(
  { port, ca }: SecureServer,
  path: string,
  sent: SentRequest = {},
): Promise<IncomingMessage> {
  const { method = 'GET', headers = {}, body = '' } = sent
  const to = { host: '127.0.0.1', port, path, localAddress: CLIENT_ADDRESS }
  const outgoing = request({
    ...to,
    method,
    ca,
    servername: 'localhost',
    agent: false,
    headers: {
      Host: `localhost:${port}`,
      'Content-Length': Buffer.byteLength(body),
      ...headers,
    },
  })
  outgoing.end(body)
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage]
  return response
}

/** Sends one request over TLS. Resolves with the whole response. */
export async function exchangeHttps(
  server: SecureServer,
  path: string,
  sent: SentRequest = {},
): Promise<ReceivedResponse> {
  const response = await openHttps(server, path, sent)
  const chunks: Buffer[] = []
  for await (const chunk of response) chunks.push(chunk as Buffer)
  const text = Buffer.concat(chunks).toString('utf8')
  return { status: response.statusCode ?? 0, headers: response.headers, text }
}
