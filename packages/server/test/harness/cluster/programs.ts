import { globSync } from 'node:fs'
import { execFileSync, spawnSync } from 'node:child_process'

/** Where Debian keeps the programs of PostgreSQL, which are not in PATH. */
const POSTGRES_FOLDERS = '/usr/lib/postgresql/*/bin'

/** The path of a program of PostgreSQL, or its name where it is in PATH; `undefined` where it is missing. */
export function postgresProgram(name: string): string | undefined {
  if (isInPath(name)) return name
  return globSync(`${POSTGRES_FOLDERS}/${name}`).toSorted().at(-1)
}

export function natsProgram(): string | undefined {
  return isInPath('nats-server') ? 'nats-server' : undefined
}

/** PostgreSQL refuses to run as root. */
export function unprivileged(): { readonly uid?: number; readonly gid?: number } {
  if (process.getuid?.() !== 0) return {}
  const id = (option: string): number =>
    Number(execFileSync('id', [option, 'nobody'], { encoding: 'utf8' }))
  return { uid: id('-u'), gid: id('-g') }
}

function isInPath(name: string): boolean {
  return spawnSync('sh', ['-c', `command -v ${name}`]).status === 0
}
