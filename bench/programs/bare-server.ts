import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { answer } from '../load/answer.ts'

// The server that ingestion is compared with, which does the minimum work per call.

const RESPONSE = Buffer.from('{"success":true}')

const server = createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    JSON.parse(Buffer.concat(chunks).toString())
    response.writeHead(200, {
      'content-type': 'application/json',
      'content-length': RESPONSE.length,
    })
    response.end(RESPONSE)
  })
})
server.listen(0, '127.0.0.1', () => answer({}, (server.address() as AddressInfo).port))
process.on('SIGTERM', () => process.exit())
