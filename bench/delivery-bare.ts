import { newId, webhookPayload } from '@hookline/protocol'
import { standardSignature, xSignature } from '@hookline/protocol/signature'
import { Pool } from 'undici'
import { event } from './delivery-event.ts'

// What delivery is measured against: the same requests, signed alike, as many at a time, and nothing kept.

const SECRET = 'a shared secret for the bench'
const CONCURRENCY = 64

const pool = new Pool(`http://127.0.0.1:${process.argv[2]}`, { connections: CONCURRENCY })

async function send(): Promise<void> {
  const body = webhookPayload(event())
  const id = newId('msg', Date.now())
  const timestamp = Math.floor(Date.now() / 1000)
  const response = await pool.request({
    method: 'POST',
    path: '/hook',
    headers: {
      'User-Agent': 'Hookline/1.0',
      'Content-Type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': String(timestamp),
      'X-Hookline-Attempt': '1',
      'X-Signature': xSignature(SECRET, body),
      'webhook-signature': standardSignature(SECRET, id, timestamp, body),
    },
    body,
  })
  await response.body.dump()
}

process.on('message', async ({ seconds }: { seconds: number }) => {
  let sent = 0
  const started = performance.now()
  const end = started + seconds * 1000
  const loops = Array.from({ length: CONCURRENCY }, async () => {
    for (; performance.now() < end; sent++) await send()
  })
  await Promise.all(loops)
  process.send!(sent / ((performance.now() - started) / 1000))
})
process.on('SIGTERM', () => process.exit())
process.send!('ready')
