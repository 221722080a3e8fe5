import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import * as fs from 'node:fs'
import { delimiter, join } from 'node:path'
import { Failure, writeFailure } from '../failure.ts'
import { LOOPBACK_NETWORKS } from '../loopback.ts'
import { type ClusterProgram, startProcess } from './cluster-process.ts'

const NODES = 3
/** The oldest supported server. Debian 12 has 2.9, which has no `sync_interval`. */
const MIN_NATS = '2.10.23'

const INSTALL =
  'Debian, Ubuntu: apt install postgresql, and nats-server from https://github.com/nats-io/nats-server/releases; macOS: brew install postgresql@17 nats-server. nats-server must be on the PATH. `hookline dev` needs neither PostgreSQL nor NATS.'
/** PostgreSQL refuses to run as root. On Linux, 65534 is usually an unprivileged user. */
const UNPRIVILEGED = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}

export interface ClusterOptions {
  /** The folder of all data, secrets and logs. */
  readonly folder: string
  /** The port of the first node. The other nodes, PostgreSQL, NATS and its monitoring use the next ones. */
  readonly port: number
  /** Receives a line about each process that exits unexpectedly. */
  readonly note: (line: string) => void
}

/**
 * Starts PostgreSQL, NATS and three nodes, one after the other. `stack` stops them.
 * @throws {Failure} if one of them is missing or does not start
 */
export async function startCluster(options: ClusterOptions, stack: AsyncDisposableStack) {
  const { folder, port, note } = options
  const programs = findPrograms()
  const start = async (name: string, program: ClusterProgram) =>
    stack.use(await startProcess(program, { name, log: join(folder, `${name}.log`), note }))
  const password = secretIn(folder, 'password')
  const adminToken = secretIn(folder, 'admin-token')
  const [postgresPort, natsPort] = [port + NODES, port + NODES + 1]
  const data = join(folder, 'postgres')
  if (!fs.existsSync(data)) createDatabase(data, programs.initdb, join(folder, 'password'))
  const servers = [
    await start('postgres', postgres(programs.postgres, data, postgresPort)),
    await start('nats', nats(programs.nats, folder, natsPort)),
  ]
  const settings = {
    HOOKLINE_BACKEND: 'cluster',
    HOOKLINE_DATABASE_URL: `postgres://hookline:${password}@127.0.0.1:${postgresPort}/postgres`,
    HOOKLINE_NATS_URL: `nats://hookline:${password}@127.0.0.1:${natsPort}`,
    HOOKLINE_NATS_MONITOR_URL: `http://127.0.0.1:${natsPort + 1}`,
    HOOKLINE_ENCRYPTION_KEY: secretIn(folder, 'encryption-key'),
    HOOKLINE_ADMIN_TOKEN: adminToken,
    HOOKLINE_ALLOWED_NETWORKS: LOOPBACK_NETWORKS.join(','),
  }
  const nodes = []
  for (let index = 0; index < NODES; index++) {
    const name = `node-${index + 1}`
    const url = `http://127.0.0.1:${port + index}`
    nodes.push({ ...(await start(name, node(url, join(folder, name), settings))), url })
  }
  return { adminToken, servers, nodes }
}

/** Finds programs in PATH, then in `others`. @throws {Failure} that names the missing servers */
export function findPrograms(path = process.env['PATH'] ?? '', others = otherFolders()) {
  const folders = [...path.split(delimiter), ...others]
  const find = (name: string) =>
    folders.map((folder) => join(folder, name)).filter((file) => fs.existsSync(file))
  const [server] = find('postgres')
  const [initdb] = find('initdb')
  const broker = find('nats-server').find(isNewEnough)
  if (server && initdb && broker) return { postgres: server, initdb, nats: broker }
  const missing = [
    ...(server && initdb ? [] : ['PostgreSQL']),
    ...(broker ? [] : [`nats-server ${MIN_NATS} or newer`]),
  ]
  throw new Failure('failed', `Not found: ${missing.join(', ')}.`, {
    hint: INSTALL,
  })
}

/** Folders where packages install programs, and which may not be in PATH. The newest PostgreSQL comes first. */
function otherFolders(): string[] {
  const folders = ['/usr/lib/postgresql/*/bin', '/{opt/homebrew,usr/local}/opt/postgresql@*/bin']
  return [...fs.globSync(folders).toSorted().toReversed(), '/usr/sbin']
}

function isNewEnough(natsServer: string): boolean {
  const text = execFileSync(natsServer, ['--version'], { encoding: 'utf8' })
  const version = /\d+\.\d+\.\d+/.exec(text)?.[0] ?? '0'
  return version.localeCompare(MIN_NATS, 'en', { numeric: true }) >= 0
}

/** Creates the PostgreSQL data in a temporary folder, then renames it. */
function createDatabase(data: string, initdb: string, passwordFile: string): void {
  const created = `${data}.new`
  fs.rmSync(created, { recursive: true, force: true })
  fs.mkdirSync(created, { mode: 0o700 })
  const { uid, gid } = UNPRIVILEGED
  if (uid !== undefined) {
    fs.chmodSync(join(data, '..'), 0o711)
    for (const path of [created, passwordFile]) fs.chownSync(path, uid, gid)
  }
  const access = ['-U', 'hookline', '-A', 'scram-sha-256', '--pwfile', passwordFile]
  const args = ['-D', created, ...access, '--data-checksums', '-E', 'UTF8', '--locale=C']
  try {
    execFileSync(initdb, args, { ...UNPRIVILEGED, cwd: '/', stdio: 'pipe' })
  } catch (cause) {
    // The message includes the output of initdb.
    throw new Failure('failed', (cause as Error).message.trim(), { cause })
  }
  fs.renameSync(created, data)
}

function postgres(program: string, data: string, port: number): ClusterProgram {
  const listen = ['-h', '127.0.0.1', '-p', String(port)]
  return {
    // The path of a Unix socket in the folder might be too long.
    command: [program, '-D', data, ...listen, '-c', 'unix_socket_directories='],
    options: UNPRIVILEGED,
    // The same check as in pg_ctl. After a SIGKILL, the file remains, with the old process id in its first line.
    isReady: async (pid) => {
      const lines = fs.readFileSync(join(data, 'postmaster.pid'), 'utf8').trim().split('\n')
      return lines[0] === String(pid) && lines.at(-1)!.trim() === 'ready'
    },
  }
}

function nats(program: string, folder: string, port: number): ClusterProgram {
  const settings = {
    listen: `127.0.0.1:${port}`,
    http: `127.0.0.1:${port + 1}`,
    // A call must be synced to disk before its 200. By default, NATS syncs only every two minutes.
    jetstream: { store_dir: join(folder, 'nats'), sync_interval: 'always' },
    authorization: { user: 'hookline', password: secretIn(folder, 'password') },
  }
  // NATS accepts JSON. The password is not an argument, because other users could read it.
  const file = join(folder, 'nats.conf')
  fs.writeFileSync(file, JSON.stringify(settings), { mode: 0o600 })
  const isReady = () => isOk(`http://127.0.0.1:${port + 1}/healthz`)
  return { command: [program, '-c', file], isReady }
}

/** Runs `hookline start` as a node, without the HOOKLINE_ variables of this process. */
function node(url: string, dataDir: string, settings: NodeJS.ProcessEnv): ClusterProgram {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('HOOKLINE_'))
  const start = [process.argv[1]!, 'start', '--port', new URL(url).port, '--data-dir', dataDir]
  return {
    command: [process.execPath, ...process.execArgv, ...start],
    options: { env: { ...Object.fromEntries(inherited), ...settings } },
    isReady: () => isOk(`${url}/readyz`),
  }
}

async function isOk(url: string): Promise<boolean> {
  return (await fetch(url, { signal: AbortSignal.timeout(1_000) })).ok
}

/** A random secret that the first run creates. @throws {Failure} if the folder cannot be used */
function secretIn(folder: string, name: string): string {
  const file = join(folder, name)
  try {
    fs.mkdirSync(folder, { recursive: true, mode: 0o700 })
    if (!fs.existsSync(file))
      fs.writeFileSync(file, randomBytes(32).toString('hex'), { mode: 0o600 })
    return fs.readFileSync(file, 'utf8')
  } catch (cause) {
    throw writeFailure(file, cause)
  }
}
