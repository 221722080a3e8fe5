import { gunzipSync } from 'node:zlib'
import type { ReceivedRequest } from '../receiver/receiver.ts'

export interface ArrivedMessage {
  readonly type: string
  readonly messageId: string
  readonly timestamp: string
  readonly event?: string
  readonly properties?: Readonly<Record<string, unknown>>
  readonly context: Readonly<Record<string, unknown>>
}

export interface ArrivedBatch {
  readonly batch: readonly ArrivedMessage[]
  readonly sentAt: string
}

export function arrivedBatches(requests: readonly ReceivedRequest[]): ArrivedBatch[] {
  return requests.map((request) => JSON.parse(bodyOf(request).toString('utf8')) as ArrivedBatch)
}

/** The body before compression. */
export function bodyOf({ headers, body }: ReceivedRequest): Buffer {
  return headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body
}
