import type { IncomingMessage } from 'node:http'
import type { Refused } from '../refused.ts'

/**
 * Reads the bytes of the body as they were sent. Resolves with `batch_too_large` as soon as there are more than
 * `maxBytes`. Further bytes are read and dropped, because a connection closed in the middle of a request loses the
 * response. Resolves with `bad_request` when the client disconnects.
 */
export function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer | Refused> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    let bytes = 0
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes <= maxBytes) {
        chunks.push(chunk)
        return
      }
      chunks.length = 0
      resolve({ refused: 'batch_too_large' })
    })
    request.on('end', () => resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)))
    request.on('close', () => resolve({ refused: 'bad_request' }))
  })
}
