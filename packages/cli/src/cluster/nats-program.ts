import { once } from 'node:events'
import { connect } from 'node:net'
import type { ClusterFolder } from './cluster-folder.ts'
import type { ServerPrograms } from './server-programs.ts'
import { type ProgramListener, SupervisedProgram } from './supervised-program.ts'

const USER = 'hookline'
const CHECK_MS = 1_000

export interface NatsProgramOptions {
  readonly folder: ClusterFolder
  readonly programs: ServerPrograms
  readonly port: number
  readonly on: ProgramListener
}

/** NATS with JetStream and its data in the folder of the cluster, and its URL, which has the password. */
export function natsProgram({ folder, programs, port, on }: NatsProgramOptions): {
  readonly nats: SupervisedProgram
  readonly url: string
} {
  const { secret } = folder.secret('nats-password')
  const data = folder.pathOf('nats')
  // Every user can read the arguments of a process, so the password is in a file.
  const config = folder.write('nats.conf', configuration({ port, data, password: secret }))
  const nats = new SupervisedProgram({
    name: 'NATS',
    program: programs.nats,
    args: ['-c', config],
    stopSignal: 'SIGTERM',
    isReady: () => isReady(port),
    on,
  })
  return { nats, url: `nats://${USER}:${secret}@127.0.0.1:${port}` }
}

/** JSON is what the server's own format allows, too. */
function configuration(options: {
  readonly port: number
  readonly data: string
  readonly password: string
}): string {
  const user = { user: USER, password: options.password }
  const settings = {
    listen: `127.0.0.1:${options.port}`,
    jetstream: { store_dir: options.data },
    authorization: user,
  }
  return JSON.stringify(settings, null, 2)
}

/** The server greets a client with what it can do. */
async function isReady(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  try {
    const [greeting] = (await once(socket, 'data', {
      signal: AbortSignal.timeout(CHECK_MS),
    })) as [Buffer]
    return greeting.toString().includes('"jetstream":true')
  } finally {
    socket.on('error', () => undefined).destroy()
  }
}
