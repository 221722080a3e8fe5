import { execFileSync } from 'node:child_process'
import { chownSync, mkdirSync, readdirSync } from 'node:fs'
import { appendFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { filesWith } from '../files/bytes-in-folder.ts'
import { freePort } from '../network/free-port.ts'
import { TemporaryFolder } from '../files/temporary-folder.ts'
import { postgresProgram, unprivilegedIds } from './programs.ts'
import { StartedServer } from './started-server.ts'

const SETTINGS = ['max_connections=300', 'log_min_messages=warning']

/** A dedicated PostgreSQL server with data in a temporary folder. */
export class PostgresServer implements AsyncDisposable {
  readonly server: StartedServer
  /** The URLs of the created databases, in order. */
  readonly databaseUrls: string[] = []
  readonly #port: number
  /** The query parameters of its URLs. */
  readonly #parameters: string
  readonly #folder = new TemporaryFolder()

  private constructor(port: number, settings: readonly string[], parameters: string) {
    this.#port = port
    this.#parameters = parameters
    const data = join(this.#folder.path, 'data')
    makeData(this.#folder.path, data)
    const places = ['-D', data, '-p', String(port), '-h', '127.0.0.1', '-k', this.#folder.path]
    this.server = new StartedServer({
      program: postgresProgram('postgres')!,
      args: [...places, ...settings.flatMap((each) => ['-c', each])],
      user: unprivilegedIds(),
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

  get port(): number {
    return this.#port
  }

  /** Creates a database, either empty or as a copy of one that is not in use, and returns its URL. */
  async newDatabase(model = 'template1'): Promise<string> {
    const name = `test_${this.databaseUrls.length + 1}`
    await this.query('postgres', `CREATE DATABASE ${name} TEMPLATE ${model}`)
    const url = this.#urlOf(name)
    this.databaseUrls.push(url)
    return url
  }

  async query(database: string, sql: string): Promise<Record<string, unknown>[]> {
    const client = new pg.Client({ connectionString: this.#urlOf(database) })
    client.on('error', () => undefined)
    await client.connect()
    try {
      return (await client.query<Record<string, unknown>>(sql)).rows
    } finally {
      await client.end()
    }
  }

  /** Changes the configuration of a stopped server for the next start. */
  async configure(settings: Readonly<Record<string, string>>): Promise<void> {
    const lines = Object.entries(settings).map(([name, value]) => `${name} = '${value}'\n`)
    await appendFile(join(this.#folder.path, 'data', 'postgresql.conf'), lines.join(''))
  }

  get logFolder(): string {
    return join(this.#folder.path, 'data', 'log')
  }

  /** The names of files that contain this text after a checkpoint, in one database or in all files except the WAL. */
  async filesWith(text: string, database?: string): Promise<string[]> {
    // This also removes the files of dropped tables.
    await this.query('postgres', 'CHECKPOINT')
    const data = join(this.#folder.path, 'data')
    if (database !== undefined) {
      const [row] = await this.query(
        'postgres',
        `SELECT oid::text FROM pg_database WHERE datname = '${database}'`,
      )
      return filesWith(join(data, 'base', String(row!['oid'])), text)
    }
    const folders = readdirSync(data, { withFileTypes: true }).filter((each) => each.isDirectory())
    const searched = folders.filter(({ name }) => name !== 'pg_wal')
    return searched.flatMap(({ name }) => filesWith(join(data, name), text))
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
  const user = unprivilegedIds()
  mkdirSync(data, { mode: 0o700 })
  if (user.uid !== undefined)
    for (const path of [folder, data]) chownSync(path, user.uid, user.gid!)
  const options = ['-D', data, '-U', 'hookline', '-A', 'trust', '-E', 'UTF8', '--locale=C.UTF-8']
  const more = ['--data-checksums', '--no-sync']
  execFileSync(postgresProgram('initdb')!, [...options, ...more], { ...user, cwd: '/' })
}
