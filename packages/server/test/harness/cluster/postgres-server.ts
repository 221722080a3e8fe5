import { execFileSync } from 'node:child_process'
import { chownSync, mkdirSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import type { AddressInfo } from 'node:net'
import { once } from 'node:events'
import pg from 'pg'
import { TemporaryFolder } from '../temporary-folder.ts'
import { postgresProgram, unprivileged } from './programs.ts'
import { ServerProcess } from './server-process.ts'

const START_MS = 30_000

/** A PostgreSQL server of its own, with data in a temporary folder. It does not sync: no test of it cuts the power. */
export class PostgresServer implements AsyncDisposable {
  readonly port: number
  readonly #folder: TemporaryFolder
  readonly #process: ServerProcess
  #databases = 0

  private constructor(port: number, folder: TemporaryFolder, process: ServerProcess) {
    this.port = port
    this.#folder = folder
    this.#process = process
  }

  static async start(): Promise<PostgresServer> {
    const folder = new TemporaryFolder()
    const user = unprivileged()
    const data = join(folder.path, 'data')
    mkdirSync(data, { mode: 0o700 })
    for (const path of [folder.path, data])
      if (user.uid !== undefined) chownSync(path, user.uid, user.gid!)
    const initdb = ['-D', data, '-U', 'hookline', '-A', 'trust', '-E', 'UTF8', '--no-sync']
    execFileSync(postgresProgram('initdb')!, [...initdb, '--locale=C.UTF-8'], { ...user, cwd: '/' })
    const port = await freePort()
    const settings = [
      'fsync=off',
      'full_page_writes=off',
      'max_connections=300',
      'log_min_messages=warning',
    ]
    const process = new ServerProcess(
      postgresProgram('postgres')!,
      [
        '-D',
        data,
        '-p',
        String(port),
        '-h',
        '127.0.0.1',
        '-k',
        folder.path,
        ...settings.flatMap((each) => ['-c', each]),
      ],
      user,
    )
    const server = new PostgresServer(port, folder, process)
    await server.#ready()
    return server
  }

  /** Makes an empty database, and returns its URL. */
  async newDatabase(): Promise<string> {
    const name = `test_${++this.#databases}`
    await this.query('postgres', `CREATE DATABASE ${name}`)
    return this.urlOf(name)
  }

  urlOf(database: string): string {
    return `postgres://hookline@127.0.0.1:${this.port}/${database}`
  }

  async query(database: string, sql: string): Promise<void> {
    const client = new pg.Client({ connectionString: this.urlOf(database) })
    await client.connect()
    try {
      await client.query(sql)
    } finally {
      await client.end()
    }
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
        return await this.query('postgres', 'SELECT 1')
      } catch (error) {
        if (performance.now() > deadline) throw error
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
    }
  }
}

/** A port that nobody listens on. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
