import { chownSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { spawnSync } from 'node:child_process'
import pg from 'pg'
import { freePort } from '../network/free-port.ts'
import { TemporaryFolder } from '../files/temporary-folder.ts'
import type { PostgresServer } from './postgres-server.ts'
import { unprivilegedIds } from './programs.ts'
import { StartedServer } from './started-server.ts'

/** Debian installs it in /usr/sbin, which is only in root's PATH. */
const PROGRAM = ['pgbouncer', '/usr/sbin/pgbouncer'].find(
  (program) => spawnSync(program, ['--version']).status === 0,
)

export const pgBouncerIsMissing = PROGRAM === undefined

/** PgBouncer in front of all databases of a server. */
export class PgBouncer implements AsyncDisposable {
  readonly #port: number
  readonly #folder: TemporaryFolder
  readonly #server: StartedServer

  private constructor(port: number, folder: TemporaryFolder, file: string) {
    this.#port = port
    this.#folder = folder
    this.#server = new StartedServer({
      program: PROGRAM!,
      args: [file],
      user: unprivilegedIds(),
      check: () => this.#query('SELECT 1'),
    })
  }

  static async start(
    { port: target }: PostgresServer,
    mode: 'session' | 'transaction',
  ): Promise<PgBouncer> {
    const port = await freePort()
    const folder = new TemporaryFolder()
    const file = join(folder.path, 'pgbouncer.ini')
    const listen = `listen_addr = 127.0.0.1\nlisten_port = ${port}\nunix_socket_dir =`
    writeFileSync(
      file,
      `[databases]\n* = host=127.0.0.1 port=${target} user=hookline\n[pgbouncer]\n${listen}\nauth_type = any\npool_mode = ${mode}\n`,
    )
    const { uid, gid } = unprivilegedIds()
    if (uid !== undefined) for (const path of [folder.path, file]) chownSync(path, uid, gid!)
    const bouncer = new PgBouncer(port, folder, file)
    await bouncer.#server.start()
    return bouncer
  }

  /** The URL of a database, through the pooler. */
  urlOf(databaseUrl: string): string {
    const url = new URL(databaseUrl)
    url.port = String(this.#port)
    return url.href
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.kill()
    this.#folder[Symbol.dispose]()
  }

  async #query(text: string): Promise<void> {
    const connectionString = `postgres://hookline@127.0.0.1:${this.#port}/postgres`
    const client = new pg.Client({ connectionString })
    client.on('error', () => undefined)
    await client.connect()
    try {
      await client.query(text)
    } finally {
      await client.end()
    }
  }
}
