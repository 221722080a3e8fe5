import { connect } from '@nats-io/transport-node'
import { TemporaryFolder } from '../temporary-folder.ts'
import { freePort } from './postgres-server.ts'
import { natsProgram } from './programs.ts'
import { ServerProcess } from './server-process.ts'

const START_MS = 20_000

/** A NATS server with JetStream, with data in a temporary folder. */
export class NatsServer implements AsyncDisposable {
  readonly port: number
  readonly #folder: TemporaryFolder
  readonly #process: ServerProcess

  private constructor(port: number, folder: TemporaryFolder, process: ServerProcess) {
    this.port = port
    this.#folder = folder
    this.#process = process
  }

  static async start(): Promise<NatsServer> {
    const folder = new TemporaryFolder()
    const port = await freePort()
    const args = ['-js', '-a', '127.0.0.1', '-p', String(port), '-sd', folder.path]
    const server = new NatsServer(port, folder, new ServerProcess(natsProgram()!, args))
    await server.#ready()
    return server
  }

  get url(): string {
    return `nats://127.0.0.1:${this.port}`
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#process[Symbol.asyncDispose]()
    this.#folder[Symbol.dispose]()
  }

  async #ready(): Promise<void> {
    const deadline = performance.now() + START_MS
    for (;;) {
      this.#process.assertRuns()
      try {
        const connection = await connect({ servers: this.url, reconnect: false, timeout: 1_000 })
        return await connection.close()
      } catch (error) {
        if (performance.now() > deadline) throw error
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
    }
  }
}
