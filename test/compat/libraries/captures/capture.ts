import { readFileSync } from 'node:fs'
import type { Call, CallType } from '../../scenarios/call.ts'
import { callIdOf } from '../../harness/wire-calls.ts'

/** A request from a library, without the write key. */
export interface CapturedRequest {
  /** Requests with the same number used the same connection. */
  readonly connection: number
  readonly head: string
  /** Decompressed. */
  readonly body: string
}

export type CaptureName = 'single' | 'batch' | 'gzip'

/** Reads a library's requests. The folder is named after the library, its version and its transport. */
export function readCapture(folder: string, name: CaptureName): CapturedRequest[] {
  const text = readFileSync(new URL(`requests/${folder}/${name}.txt`, import.meta.url), 'utf8')
  const [, ...parts] = text.split(/^# connection (\d+)\n/m)
  return Array.from({ length: parts.length / 2 }, (_, index) => {
    const [head = '', body = ''] = parts[2 * index + 1]!.split('\n\n')
    return { connection: Number(parts[2 * index]), head, body: body.trimEnd() }
  })
}

type Fields = Readonly<Record<string, unknown>>

/** The calls in a capture, with the fields that the comparison does not read from the wire. */
export function capturedCalls(requests: readonly CapturedRequest[]): Call[] {
  return requests.flatMap(({ head, body }) => {
    const fields = JSON.parse(body) as Fields
    if (Array.isArray(fields['batch'])) return (fields['batch'] as Fields[]).map(callOf)
    const [, type] = /^POST \/v1\/(\w+) /.exec(head) ?? []
    return [callOf({ type, ...fields })]
  })
}

function callOf(fields: Fields): Call {
  const { type, userId, previousId, integrations, timestamp, originalTimestamp } = fields
  return {
    id: callIdOf(fields),
    type: type as CallType,
    ...(type === 'alias' && { userId: String(userId), previousId: String(previousId) }),
    integrations: (integrations ?? {}) as Fields,
    timestamp: String(timestamp ?? originalTimestamp),
  }
}
