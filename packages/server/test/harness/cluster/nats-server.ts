import { connect } from '@nats-io/transport-node'
import { natsConnectionOptions } from '../../../src/backend/cluster/jetstream/nats-options.ts'
import { Redacted } from '../../../src/util/secrets/redacted.ts'
import { freePort } from '../free-port.ts'
import { TemporaryFolder } from '../temporary-folder.ts'
import { natsProgram } from './programs.ts'
import { StartedServer } from './started-server.ts'

interface NatsUser {
  readonly name: string
  readonly password: string
}

/** A NATS server with JetStream, with data in a temporary folder. */
export class NatsServer implements AsyncDisposable {
  readonly url: string
  readonly server: StartedServer
  readonly #folder = new TemporaryFolder()

  private constructor(port: number, user?: NatsUser) {
    const credentials = user === undefined ? '' : `${user.name}:${user.password}@`
    const options = user === undefined ? [] : ['--user', user.name, '--pass', user.password]
    this.url = `nats://${credentials}127.0.0.1:${port}`
    const places = ['-a', '127.0.0.1', '-p', String(port), '-sd', this.#folder.path]
    this.server = new StartedServer({
      program: natsProgram()!,
      args: ['-js', ...places, ...options],
      check: () => canBeUsed(this.url),
    })
  }

  /** Where its data is. */
  get folder(): string {
    return this.#folder.path
  }

  /** Starts one, which only this user may use if it is given. */
  static async start(user?: NatsUser): Promise<NatsServer> {
    const nats = new NatsServer(await freePort(), user)
    await nats.server.start()
    return nats
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.server.kill()
    this.#folder[Symbol.dispose]()
  }
}

async function canBeUsed(url: string): Promise<void> {
  const options = natsConnectionOptions({ url: new Redacted(url) })
  const connection = await connect({ ...options, reconnect: false, timeout: 1_000 })
  await connection.close()
}
