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

/** The path of a newer server of NATS than that in PATH. Debian 12 has 2.9.10. */
const NEWER_NATS = 'HOOKLINE_TEST_NATS_SERVER'
/** Before it, a server that hears of an ack before it has the message throws its copy away, and all are lost with the next server. */
const LEAST_FOR_COPIES = '2.9.16'

/** A server of NATS that keeps copies of what others have; `undefined` where it is missing. */
export function natsProgramForCopies(): string | undefined {
  const program = process.env[NEWER_NATS] ?? natsProgram()
  if (program === undefined) return undefined
  const text = execFileSync(program, ['--version'], { encoding: 'utf8' })
  const version = /\d+\.\d+\.\d+/.exec(text)?.[0] ?? ''
  const byNumbers = new Intl.Collator('en', { numeric: true })
  return byNumbers.compare(version, LEAST_FOR_COPIES) < 0 ? undefined : program
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
