import { gunzipSync } from 'node:zlib'
import { type HttpMessage, httpMessagesIn } from './http-messages.ts'
import type { RecordedConnection } from './recorded-connection.ts'

/** A request from a library, with its response. */
export interface Exchange {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  /** The decompressed body of the request; `undefined` if it is not JSON. */
  readonly json: unknown
  /** In bytes after decompression. */
  readonly size: number
  readonly isToService: boolean
  /** `undefined` if no complete response arrived. */
  readonly status: number | undefined
  /** The body of the response; `undefined` if it is not JSON. */
  readonly response: unknown
}

export function exchangesOf({ isToService, sent, received }: RecordedConnection): Exchange[] {
  const requests = httpMessagesIn(Buffer.concat(sent))
  const responses = httpMessagesIn(Buffer.concat(received)).filter(
    ({ startLine }) => !/^HTTP\/1\.\d 1/.test(startLine),
  )
  return requests
    .filter(({ isComplete }) => isComplete)
    .map((request, index) => {
      const [method = '', path = ''] = request.startLine.split(' ')
      const response = responses[index]
      const content = contentOf(request)
      return {
        method,
        path,
        headers: request.headers,
        json: jsonIn(content),
        size: content.length,
        isToService,
        status: response?.isComplete ? Number(response.startLine.split(' ')[1]) : undefined,
        response: response && jsonIn(response.body),
      }
    })
}

function contentOf({ headers, body }: HttpMessage): Buffer {
  return headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body
}

function jsonIn(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString()) as unknown
  } catch {
    return undefined
  }
}
