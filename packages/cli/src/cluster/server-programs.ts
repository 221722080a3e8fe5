import { execFileSync } from 'node:child_process'
import { accessSync, constants, globSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { Failure } from '../failure.ts'

/** Where programs are looked for: in PATH, and where Debian keeps those that PATH does not have for every user. */
interface Places {
  readonly path: string
  readonly postgres: string
  readonly nats: string
}
const PLACES: Places = {
  path: process.env['PATH'] ?? '',
  postgres: '/usr/lib/postgresql/*/bin',
  nats: '/usr/sbin',
}
/** PostgreSQL refuses to run as root. The first of these users that the machine has runs it then. */
const UNPRIVILEGED = ['postgres', 'nobody']

/** The paths of the programs that a cluster on one machine needs. */
export interface ServerPrograms {
  readonly postgres: string
  readonly initdb: string
  readonly nats: string
}

/** Whose rights a process has; empty for those of this one. */
export interface RunAs {
  readonly uid?: number
  readonly gid?: number
}

/** @throws {Failure} that names what is missing */
export function findServerPrograms(places: Places = PLACES): ServerPrograms {
  const find = (name: string, folders: string): string | undefined =>
    found(name, places.path, folders)
  const postgres = find('postgres', places.postgres)
  const initdb = find('initdb', places.postgres)
  const nats = find('nats-server', places.nats)
  if (postgres && initdb && nats) return { postgres, initdb, nats }
  const missing = [...(postgres && initdb ? [] : ['PostgreSQL']), ...(nats ? [] : ['NATS'])]
  throw new Failure('failed', `This machine has no ${missing.join(' and no ')}.`, {
    code: 'servers_missing',
    hint: 'Install the servers (Debian, Ubuntu: apt install postgresql nats-server; macOS: brew install postgresql nats-server), or run `hookline dev`, which needs neither.',
  })
}

/** Who runs PostgreSQL. */
export function postgresUser(): RunAs {
  if (process.getuid?.() !== 0) return {}
  for (const name of UNPRIVILEGED) {
    try {
      return { uid: idOf('-u', name), gid: idOf('-g', name) }
    } catch {
      // There is no such user.
    }
  }
  const hint = 'Run the command as another user than root.'
  throw new Failure('failed', 'PostgreSQL refuses to run as root.', { hint })
}

function idOf(option: string, name: string): number {
  const stdio = ['ignore', 'pipe', 'ignore'] as const
  return Number(execFileSync('id', [option, name], { encoding: 'utf8', stdio: [...stdio] }))
}

/** The path of a program in PATH, or else in the last of these folders that has it. */
function found(name: string, path: string, folders: string): string | undefined {
  const inPath = path.split(delimiter).map((folder) => join(folder, name))
  const elsewhere = globSync(join(folders, name)).toSorted().toReversed()
  return [...inPath, ...elsewhere].find(isProgram)
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
