import { execFileSync } from 'node:child_process'
import { chownSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { freePort } from '../free-port.ts'
import { TemporaryFolder } from '../temporary-folder.ts'
import { postgresProgram, unprivileged } from './programs.ts'
import { StartedServer } from './started-server.ts'

/** It does not sync: no test of it cuts the power. */
const SETTINGS = [
  'fsync=off',
  'full_page_writes=off',
  'max_connections=300',
  'log_min_messages=warning',
]

/** A PostgreSQL server of its own, with data in a temporary folder. */
export class PostgresServer implements AsyncDisposable {
  readonly server: StartedServer
  readonly #port: number
  /** Of its URLs. */
  readonly #parameters: string
  readonly #folder = new TemporaryFolder()
  #databases = 0

  private constructor(port: number, settings: readonly string[], parameters: string) {
    this.#port = port
    this.#parameters = parameters
    const data = join(this.#folder.path, 'data')
    makeData(this.#folder.path, data)
    const places = ['-D', data, '-p', String(port), '-h', '127.0.0.1', '-k', this.#folder.path]
    this.server = new StartedServer({
      program: postgresProgram('postgres')!,
      args: [...places, ...settings.flatMap((each) => ['-c', each])],
      user: unprivileged(),
      check: () => this.query('postgres', 'SELECT 1'),
    })
  }

  static async start(
    settings: readonly string[] = SETTINGS,
    parameters = '',
  ): Promise<PostgresServer> {
    const postgres = new PostgresServer(await freePort(), settings, parameters)
    await postgres.server.start()
    return postgres
  }

  /** Makes an empty database, and returns its URL. */
  async newDatabase(): Promise<string> {
    const name = `test_${++this.#databases}`
    await this.query('postgres', `CREATE DATABASE ${name}`)
    return this.#urlOf(name)
  }

  async query(database: string, sql: string): Promise<void> {
    const client = new pg.Client({ connectionString: this.#urlOf(database) })
    // A server that is killed meanwhile.
    client.on('error', () => undefined)
    await client.connect()
    try {
      await client.query(sql)
    } finally {
      await client.end()
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.server.kill()
    this.#folder[Symbol.dispose]()
  }

  #urlOf(database: string): string {
    return `postgres://hookline@127.0.0.1:${this.#port}/${database}${this.#parameters}`
  }
}

function makeData(folder: string, data: string): void {
  const user = unprivileged()
  mkdirSync(data, { mode: 0o700 })
  if (user.uid !== undefined)
    for (const path of [folder, data]) chownSync(path, user.uid, user.gid!)
  const options = ['-D', data, '-U', 'hookline', '-A', 'trust', '-E', 'UTF8', '--locale=C.UTF-8']
  execFileSync(postgresProgram('initdb')!, [...options, '--no-sync'], { ...user, cwd: '/' })
}
