import { globSync } from 'node:fs'
import { execFileSync, spawnSync } from 'node:child_process'
import { isNatsSupported } from '../../../server/src/backend/cluster/jetstream/nats-link.ts'

/** Debian's folder for PostgreSQL programs, which is not in PATH. */
const POSTGRES_FOLDERS = '/usr/lib/postgresql/*/bin'

/** The path of a PostgreSQL program, or its name if it is in PATH; `undefined` if it is missing. */
export function postgresProgram(name: string): string | undefined {
  if (isInPath(name)) return name
  return globSync(`${POSTGRES_FOLDERS}/${name}`).toSorted().at(-1)
}

/** The path of a newer NATS server than the one in PATH. Debian 12 has 2.9.10, which Hookline refuses. */
const NEWER_NATS = process.env['HOOKLINE_TEST_NATS_SERVER']

/** A NATS server that Hookline supports; `undefined` if it is missing. */
export function natsProgram(): string | undefined {
  const program = NEWER_NATS ?? (isInPath('nats-server') ? 'nats-server' : undefined)
  return program !== undefined && isNatsSupported(versionOf(program)) ? program : undefined
}

function versionOf(program: string): string {
  const text = execFileSync(program, ['--version'], { encoding: 'utf8' })
  return /\d+\.\d+\.\d+/.exec(text)?.[0] ?? ''
}

/** PostgreSQL refuses to run as root. */
export function unprivilegedIds(): { readonly uid?: number; readonly gid?: number } {
  if (process.getuid?.() !== 0) return {}
  const id = (option: string): number =>
    Number(execFileSync('id', [option, 'nobody'], { encoding: 'utf8' }))
  return { uid: id('-u'), gid: id('-g') }
}

function isInPath(name: string): boolean {
  return spawnSync('sh', ['-c', `command -v ${name}`]).status === 0
}
