import { execFileSync } from 'node:child_process'
import { chownSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Failure } from '../failure.ts'
import type { ClusterFolder } from './cluster-folder.ts'
import type { RunAs, ServerPrograms } from './server-programs.ts'
import { type ProgramListener, SupervisedProgram } from './supervised-program.ts'

const USER = 'hookline'
/** Hookline keeps its tables in a schema of its own, so the database that every server has will do. */
const DATABASE = 'postgres'

export interface PostgresProgramOptions {
  readonly folder: ClusterFolder
  readonly programs: ServerPrograms
  readonly user: RunAs
  readonly port: number
  readonly on: ProgramListener
}

/** PostgreSQL with its data in the folder of the cluster, and the URL of its database, which is a secret. */
export function postgresProgram({ folder, programs, user, port, on }: PostgresProgramOptions): {
  readonly postgres: SupervisedProgram
  readonly url: string
} {
  const { secret } = folder.secret('postgres-password')
  const data = folder.pathOf('postgres')
  if (!existsSync(data)) makeData({ folder, programs, user, data, password: secret })
  const postgres = new SupervisedProgram({
    name: 'PostgreSQL',
    program: programs.postgres,
    // No socket in the file system: its path may be too long for one.
    args: ['-D', data, '-p', String(port), '-h', '127.0.0.1', '-c', 'unix_socket_directories='],
    user,
    // It takes no connection before its children end.
    stopSignal: 'SIGINT',
    isReady: async (pid) => isReady(data, pid),
    on,
  })
  return { postgres, url: `postgres://${USER}:${secret}@127.0.0.1:${port}/${DATABASE}` }
}

/** Makes the data in another folder and renames it, so that what a kill has cut off is never used. */
function makeData({
  folder,
  programs,
  user,
  data,
  password,
}: Pick<PostgresProgramOptions, 'folder' | 'programs' | 'user'> & {
  readonly data: string
  readonly password: string
}): void {
  const made = `${data}.new`
  const passwordFile = folder.pathOf('postgres-password.once')
  rmSync(made, { recursive: true, force: true })
  try {
    execFileSync('mkdir', ['-m', '700', made])
    writeFileSync(passwordFile, password, { mode: 0o600 })
    for (const path of [made, passwordFile])
      if (user.uid !== undefined) chownSync(path, user.uid, user.gid!)
    const access = ['-U', USER, '-A', 'scram-sha-256', '--pwfile', passwordFile]
    const options = ['-D', made, ...access, '-E', 'UTF8', '--locale=C']
    execFileSync(programs.initdb, options, { ...user, cwd: '/', stdio: 'pipe' })
    renameSync(made, data)
  } catch (cause) {
    const { stderr, message } = cause as Error & { readonly stderr?: Buffer }
    const said = stderr?.toString() ?? message
    throw new Failure('failed', `PostgreSQL cannot make its data: ${said.trim()}`, { cause })
  } finally {
    rmSync(passwordFile, { force: true })
  }
}

/** Its file says so in its last line, which is what pg_ctl reads. The first one tells whose it is: a kill leaves the file. */
function isReady(data: string, pid: number): boolean {
  const lines = readFileSync(join(data, 'postmaster.pid'), 'utf8').trim().split('\n')
  return lines[0] === String(pid) && lines.at(-1)!.trim() === 'ready'
}
