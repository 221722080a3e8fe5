import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'

interface Start {
  readonly host: string
  readonly gate: SharedArrayBuffer
}

const BACKLOG = 1
/** More than the backlog of a listener. */
const FILLERS = 4

/** An HTTP receiver that accepts no connection until it is released, like a slow network path. Then it responds with 204. */
export class LateListener implements AsyncDisposable {
  readonly port: number
  readonly #worker: Worker
  readonly #gate: Int32Array
  readonly #fillers: readonly Socket[]

  private constructor(
    worker: Worker,
    { port, gate, fillers }: { port: number; gate: Int32Array; fillers: readonly Socket[] },
  ) {
    this.#worker = worker
    this.port = port
    this.#gate = gate
    this.#fillers = fillers
  }

  static async open(host: string): Promise<LateListener> {
    const gate = new SharedArrayBuffer(4)
    const worker = new Worker(new URL(import.meta.url), { workerData: { host, gate } })
    const [port] = (await once(worker, 'message')) as [number]
    const fillers = Array.from({ length: FILLERS }, () => connect({ host, port }))
    for (const filler of fillers) filler.on('error', () => undefined)
    await once(fillers[0]!, 'connect')
    return new LateListener(worker, { port, gate: new Int32Array(gate), fillers })
  }

  release(): void {
    for (const filler of this.#fillers) filler.destroy()
    Atomics.store(this.#gate, 0, 1)
    Atomics.notify(this.#gate, 0)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.release()
    await this.#worker.terminate()
  }
}

if (!isMainThread && parentPort !== null && 'gate' in Object(workerData)) {
  const { host, gate } = workerData as Start
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.on('data', () => socket.end('HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n'))
  })
  server.listen({ host, port: 0, backlog: BACKLOG })
  await once(server, 'listening')
  parentPort.postMessage((server.address() as { readonly port: number }).port)
  // The thread accepts nothing until it is released, so the kernel drops attempts once its queue is full.
  Atomics.wait(new Int32Array(gate), 0, 0)
}
