import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { serveRequests } from '../load/serve-requests.ts'
import { openSending } from '../load/delivery-request.ts'

// The server that ingestion is compared with, which does the minimum work per call. With the port of a receiver as its first
// argument, it also sends each call there, after its response.

const port = process.argv[2]
const send = port === undefined ? undefined : openSending(Number(port))
const RESPONSE = Buffer.from('{"success":true}')

const server = createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    const body = Buffer.concat(chunks)
    JSON.parse(body.toString())
    response.writeHead(200, {
      'content-type': 'application/json',
      'content-length': RESPONSE.length,
    })
    response.end(RESPONSE)
    void send?.(body)
  })
})
server.listen(0, '127.0.0.1', () => serveRequests({}, (server.address() as AddressInfo).port))
process.on('SIGTERM', () => process.exit())
