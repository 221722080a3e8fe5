import { type Event, newId, webhookPayload } from '@hookline/protocol'
import { standardSignature, xSignature } from '@hookline/protocol/signature'
import { Pool } from 'undici'
import { call } from './calls.ts'
import { SECRET } from './service-process.ts'

/** The maximum number of concurrent requests on each side: Hookline's default for one destination. */
export const CONCURRENCY = 64

/** An event as created by ingest from a call. */
export function event(): Event {
  const { timestamp, ...rest } = call()
  return { ...(rest as Omit<Event, 'timestamp' | 'receivedAt'>), timestamp, receivedAt: timestamp }
}

/** Sends events to the receiver, with `openSending`. */
export function openDelivery(port: number): (event: Event) => Promise<void> {
  const send = openSending(port)
  return (delivered) => send(webhookPayload(delivered))
}

/** Sends bodies to the receiver with a plain undici pool: the same requests and signatures as Hookline. */
export function openSending(port: number): (body: string | Uint8Array) => Promise<void> {
  const pool = new Pool(`http://127.0.0.1:${port}`, { connections: CONCURRENCY })
  return async (body) => {
    const now = Date.now()
    const id = newId('msg', now)
    const timestamp = Math.floor(now / 1000)
    const response = await pool.request({
      method: 'POST',
      path: '/hook',
      headers: {
        'User-Agent': 'Hookline/1.0',
        'Content-Type': 'application/json',
        'Accept-Encoding': 'identity',
        'webhook-id': id,
        'webhook-timestamp': String(timestamp),
        'X-Hookline-Attempt': '1',
        'X-Signature': xSignature(SECRET, body),
        'webhook-signature': standardSignature(SECRET, id, timestamp, body),
      },
      body,
    })
    await response.body.dump()
    if (response.statusCode !== 200)
      throw new Error(`The receiver responded with ${response.statusCode}.`)
  }
}
