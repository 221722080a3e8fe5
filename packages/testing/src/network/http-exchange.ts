import { once } from 'node:events'
import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http'

export interface SentRequest {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Buffer
  /** Sends the body chunked, without a Content-Length. */
  readonly isChunked?: boolean
}

export interface ReceivedResponse {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
}

/** Sends one request on a new connection, with exactly these headers besides Host and the framing. */
export async function exchange(url: string, sent: SentRequest = {}): Promise<ReceivedResponse> {
  const { method = 'POST', headers = {}, body = '', isChunked = false } = sent
  const length =
    method === 'POST' || body !== '' ? { 'Content-Length': Buffer.byteLength(body) } : {}
  const framing = isChunked ? { 'Transfer-Encoding': 'chunked' } : length
  const outgoing = request(url, { method, agent: false, headers: { ...headers, ...framing } })
  // A server may respond and close the connection before it has read the whole body.
  outgoing.on('error', () => {})
  outgoing.end(body)
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage]
  const chunks: Buffer[] = []
  for await (const chunk of response) chunks.push(chunk as Buffer)
  const text = Buffer.concat(chunks).toString('utf8')
  return { status: response.statusCode ?? 0, headers: response.headers, text }
}
