import { execFileSync } from 'node:child_process'
import { existsSync, globSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { Failure } from '../failure.ts'

/** The oldest supported server. Debian 12 has 2.9, which has no `sync_interval`. */
const MIN_NATS = '2.10.23'

const INSTALL =
  'Debian, Ubuntu: apt install postgresql, and nats-server from https://github.com/nats-io/nats-server/releases; macOS: brew install postgresql@17 nats-server. nats-server has to be in a folder of PATH. `hookline dev` needs neither.'

/** Finds programs in PATH, then in `others`. @throws {Failure} that names the missing servers */
export function findPrograms(path = process.env['PATH'] ?? '', others = otherFolders()) {
  const folders = [...path.split(delimiter), ...others]
  const find = (name: string) =>
    folders.map((folder) => join(folder, name)).filter((file) => existsSync(file))
  const [postgres] = find('postgres')
  const [initdb] = find('initdb')
  const nats = find('nats-server').find(isNewEnough)
  if (postgres && initdb && nats) return { postgres, initdb, nats }
  const missing = [
    ...(postgres && initdb ? [] : ['PostgreSQL']),
    ...(nats ? [] : [`nats-server ${MIN_NATS} or newer`]),
  ]
  throw new Failure('failed', `This machine has no ${missing.join(' and no ')}.`, { hint: INSTALL })
}

/** Folders of packages that PATH may lack, with the newest PostgreSQL first. */
function otherFolders(): string[] {
  const folders = ['/usr/lib/postgresql/*/bin', '/{opt/homebrew,usr/local}/opt/postgresql@*/bin']
  return [...globSync(folders).toSorted().toReversed(), '/usr/sbin']
}

function isNewEnough(natsServer: string): boolean {
  const text = execFileSync(natsServer, ['--version'], { encoding: 'utf8' })
  const version = /\d+\.\d+\.\d+/.exec(text)?.[0] ?? '0'
  return version.localeCompare(MIN_NATS, 'en', { numeric: true }) >= 0
}
