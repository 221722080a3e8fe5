import { createHmac, timingSafeEqual } from 'node:crypto'
import { createServer } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { store } from './inbox.mjs'

const SECRET = process.env.HOOKLINE_SECRET
if (!SECRET) throw new Error("Set HOOKLINE_SECRET to the destination's shared secret.")
const [, base64] = /^whsec_(.+)$/.exec(SECRET) ?? []
const KEY = base64 === undefined ? Buffer.from(SECRET) : Buffer.from(base64, 'base64')
const MAX_BYTES = 4 * 1024 * 1024
const TOLERANCE_SECONDS = 5 * 60

function isSigned(headers, body) {
  const id = headers['webhook-id']
  const timestamp = headers['webhook-timestamp'] ?? ''
  if (!id || !/^\d{1,12}$/.test(timestamp)) return false
  if (Math.abs(Date.now() / 1000 - Number(timestamp)) > TOLERANCE_SECONDS) return false
  const hmac = createHmac('sha256', KEY).update(`${id}.${timestamp}.`).update(body)
  const expected = Buffer.from(`v1,${hmac.digest('base64')}`)
  return (headers['webhook-signature'] ?? '').split(' ').some((each) => {
    const signature = Buffer.from(each)
    return signature.length === expected.length && timingSafeEqual(signature, expected)
  })
}

/** Returns the status of the response. */
async function receive(request) {
  // Hookline always sends Content-Length. Node.js reads no more than that.
  const length = Number(request.headers['content-length'] ?? Infinity)
  if (length > MAX_BYTES) return 413
  const body = await buffer(request)
  if (!isSigned(request.headers, body)) return 401
  await store(request.headers['webhook-id'], body)
  return 200
}

const server = createServer(async (request, response) => {
  const status = await receive(request).catch((error) => {
    console.error(error)
    return 500
  })
  response.writeHead(status, status === 413 ? { connection: 'close' } : {}).end()
})
const port = Number(process.env.PORT ?? 4801)
server.listen(port, '127.0.0.1', () => console.log(`Listening on http://127.0.0.1:${port}/`))
