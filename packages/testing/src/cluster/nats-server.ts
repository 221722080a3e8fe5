import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { connect as connectToNats } from '@nats-io/transport-node'
import { freePort } from '../network/free-port.ts'
import { TemporaryFolder } from '../files/temporary-folder.ts'
import { natsProgram } from './programs.ts'
import { StartedServer } from './started-server.ts'

/** Additional entries of the configuration file. */
type NatsSettings = Readonly<Record<string, unknown>>

/** A NATS server with JetStream, with data in a temporary folder. */
export class NatsServer implements AsyncDisposable {
  readonly url: string
  readonly server: StartedServer
  readonly #folder = new TemporaryFolder()

  private constructor(port: number, settings?: NatsSettings) {
    this.url = `nats://127.0.0.1:${port}`
    const args = ['-js', '-a', '127.0.0.1', '-p', String(port), '-sd', this.folder]
    const config = join(this.#folder.path, 'nats.conf')
    if (settings !== undefined) writeFileSync(config, JSON.stringify(settings))
    this.server = new StartedServer({
      program: natsProgram()!,
      args: settings === undefined ? args : [...args, '-c', config],
      // With custom settings, the test itself checks who may connect.
      check: () => (settings === undefined ? canBeUsed(this.url) : greets(port)),
    })
  }

  get folder(): string {
    return join(this.#folder.path, 'data')
  }

  static async start(settings?: NatsSettings): Promise<NatsServer> {
    const nats = new NatsServer(await freePort(), settings)
    await nats.server.start()
    return nats
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.server.kill()
    this.#folder[Symbol.dispose]()
  }
}

async function canBeUsed(url: string): Promise<void> {
  const connection = await connectToNats({ servers: url, reconnect: false, timeout: 1_000 })
  await connection.close()
}

/** The server sends a greeting before it authenticates the client. */
async function greets(port: number): Promise<void> {
  const socket = connect(port, '127.0.0.1')
  try {
    await once(socket, 'data', { signal: AbortSignal.timeout(1_000) })
  } finally {
    socket.on('error', () => undefined).destroy()
  }
}
