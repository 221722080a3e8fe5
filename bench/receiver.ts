import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

// Takes webhooks as fast as it can: reads the body, answers 200.

const server = createServer((request, response) => {
  request.resume().on('end', () => response.writeHead(200, { 'content-length': 2 }).end('ok'))
})
server.keepAliveTimeout = 60_000
server.listen(0, '127.0.0.1', () => process.send!((server.address() as AddressInfo).port))
process.on('SIGTERM', () => process.exit())
