import { connect } from '@nats-io/transport-node'
import { freePort } from '../free-port.ts'
import { TemporaryFolder } from '../temporary-folder.ts'
import { natsProgram } from './programs.ts'
import { StartedServer } from './started-server.ts'

/** A NATS server with JetStream, with data in a temporary folder. */
export class NatsServer implements AsyncDisposable {
  readonly url: string
  readonly server: StartedServer
  readonly #folder = new TemporaryFolder()

  private constructor(port: number) {
    this.url = `nats://127.0.0.1:${port}`
    this.server = new StartedServer({
      program: natsProgram()!,
      args: ['-js', '-a', '127.0.0.1', '-p', String(port), '-sd', this.#folder.path],
      check: () => canBeUsed(this.url),
    })
  }

  /** Where its data is. */
  get folder(): string {
    return this.#folder.path
  }

  static async start(): Promise<NatsServer> {
    const nats = new NatsServer(await freePort())
    await nats.server.start()
    return nats
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.server.kill()
    this.#folder[Symbol.dispose]()
  }
}

async function canBeUsed(url: string): Promise<void> {
  const connection = await connect({ servers: url, reconnect: false, timeout: 1_000 })
  await connection.close()
}
