import { connect, type Socket } from 'node:net'

/**
 * As much HTTP as a load needs, and no more, so that the server is what is measured: requests made
 * beforehand, answers told apart by their Content-Length.
 */
export async function load(options: {
  readonly port: number
  readonly connections: number
  readonly seconds: number
  /** The next request, whole. Used before the next call. */
  readonly nextRequest: () => Buffer
}): Promise<number> {
  let answered = 0
  let isOver = false
  const started = performance.now()
  const sockets = Array.from({ length: options.connections }, async () => {
    const socket = connect(options.port, '127.0.0.1').setNoDelay(true)
    await exchange(socket, () => {
      if (isOver) return undefined
      answered++
      return options.nextRequest()
    })
  })
  const timer = setTimeout(() => (isOver = true), options.seconds * 1000)
  await Promise.all(sockets)
  clearTimeout(timer)
  const seconds = (performance.now() - started) / 1000
  return (answered - options.connections) / seconds
}

/** Sends a request, awaits its answer, and so on until there is no next one. */
function exchange(socket: Socket, next: () => Buffer | undefined): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  let received: Buffer = Buffer.alloc(0)
  const send = (): void => {
    const request = next()
    if (request === undefined) socket.end(() => resolve())
    else socket.write(request)
  }
  socket.on('connect', send).on('error', reject)
  socket.on('data', (chunk: Buffer) => {
    received = received.length === 0 ? chunk : Buffer.concat([received, chunk])
    const end = endOfAnswer(received)
    if (end === undefined || received.length < end) return
    if (!received.subarray(0, 12).equals(OK)) reject(new Error(`Answered ${received.toString()}`))
    received = received.subarray(end)
    send()
  })
  return promise
}

const OK = Buffer.from('HTTP/1.1 200')

function endOfAnswer(received: Buffer): number | undefined {
  const head = received.indexOf('\r\n\r\n')
  if (head < 0) return undefined
  const length = /content-length: (\d+)/i.exec(received.toString('latin1', 0, head))
  if (length === null) throw new Error('An answer without Content-Length.')
  return head + 4 + Number(length[1])
}
