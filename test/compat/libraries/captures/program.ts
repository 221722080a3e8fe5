// Replays a library's requests, byte for byte apart from the write key. Arguments: the folder of the captures, and the default
// capture for scenarios that have none.
import { connect, type Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import { firstHttpMessageIn } from '../../harness/http-messages.ts'
import { type CapturedRequest, capturedCalls, type CaptureName, readCapture } from './capture.ts'

const [folder = '', otherwise] = process.argv.slice(2)
const environment = (name: string): string => process.env[`COMPAT_${name}`] ?? ''
const say = (line: object): void => void process.stdout.write(`${JSON.stringify(line)}\n`)

const requests = readCapture(folder, captureName())
const port = Number(new URL(environment('ENDPOINT')).port)
for (const { id } of capturedCalls(requests)) say({ made: id })
const byConnection = Map.groupBy(requests, ({ connection }) => connection)
for (const ofConnection of byConnection.values()) await replay(ofConnection)
say({ done: true })

function captureName(): CaptureName {
  if (environment('GZIP') === '1') return 'gzip'
  return environment('BATCH') === '1' ? 'single' : (otherwise as CaptureName)
}

/** Sends each request after the response to the previous one. */
async function replay(ofConnection: readonly CapturedRequest[]): Promise<void> {
  const socket = connect(port, '127.0.0.1')
  for (const request of ofConnection) {
    socket.write(bytesOf(request))
    const status = await statusOfResponse(socket)
    if (status !== 200) say({ error: `status ${status}` })
  }
  socket.end()
}

function bytesOf({ head, body }: CapturedRequest): Buffer {
  const credentials = Buffer.from(`${environment('WRITE_KEY')}:`).toString('base64')
  const isCompressed = /^content-encoding: gzip$/im.test(head)
  const content = isCompressed ? gzipSync(body) : Buffer.from(body)
  const lines = head.replace('WRITE_KEY', credentials)
  // The compressed length depends on the compressor.
  const sent = isCompressed
    ? lines.replace(/^(content-length: )\d+$/im, `$1${content.length}`)
    : lines
  return Buffer.concat([Buffer.from(`${sent.replaceAll('\n', '\r\n')}\r\n\r\n`), content])
}

function statusOfResponse(socket: Socket): Promise<number> {
  return new Promise((resolve, reject) => {
    let received = Buffer.alloc(0)
    const take = (chunk: Buffer): void => {
      received = Buffer.concat([received, chunk])
      const response = firstHttpMessageIn(received)
      if (response === undefined) return
      socket.off('data', take).off('error', reject).off('close', broken)
      resolve(Number(response.startLine.split(' ')[1]))
    }
    const broken = (): void => reject(new Error('the connection ended without a response'))
    socket.on('data', take).on('error', reject).on('close', broken)
  })
}
