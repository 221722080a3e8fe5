import { randomBytes } from 'node:crypto'
import {
  accessSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { Failure } from '../failure.ts'
import type { RunAs } from './server-programs.ts'

/** What the command keeps between its runs, beside the data of the servers and of the nodes. */
export class ClusterFolder {
  readonly path: string

  /** @throws {Failure} where it cannot be made, or the user of PostgreSQL cannot reach it */
  constructor(path: string, user: RunAs) {
    this.path = resolve(path)
    try {
      mkdirSync(this.path, { recursive: true, mode: 0o700 })
      // Those who run PostgreSQL may pass through it. Every file in it is of its owner alone.
      if (user.uid !== undefined) chmodSync(this.path, 0o711)
    } catch (cause) {
      const { code } = cause as NodeJS.ErrnoException
      throw new Failure('failed', `Cannot use the data folder ${this.path} (${code}).`, { cause })
    }
    const closed = user.uid === undefined ? undefined : closedFolder(this.path)
    if (closed !== undefined)
      throw new Failure('failed', `${closed} is closed to the user who runs PostgreSQL.`, {
        code: 'data_dir_unusable',
        hint: 'PostgreSQL refuses to run as root. Give --data-dir a folder that every user can reach, or run the command as another user.',
      })
  }

  pathOf(name: string): string {
    return join(this.path, name)
  }

  /** A secret that the first run makes, and its file. */
  secret(name: string, make = newSecret): { readonly file: string; readonly secret: string } {
    const file = this.pathOf(name)
    if (!existsSync(file)) this.write(name, make())
    return { file, secret: readFileSync(file, 'utf8').trim() }
  }

  /** Writes a file that its owner alone may read. Returns its path. */
  write(name: string, text: string): string {
    const file = this.pathOf(name)
    writeFileSync(file, `${text}\n`, { mode: 0o600 })
    return file
  }

  /** The JSON in a file that `write` has made; `undefined` where there is none, or a kill has cut it off. */
  read(name: string): unknown {
    try {
      return JSON.parse(readFileSync(this.pathOf(name), 'utf8')) as unknown
    } catch {
      return undefined
    }
  }
}

/** Where root keeps a cluster whose working folder is closed to other users, as /root is. */
const FOLDER_OF_ROOT = '/var/lib/hookline-cluster'
const FOLDER = 'cluster-data'

/** The folder of a cluster that names none. */
export function defaultFolder(user: RunAs): string {
  const folder = resolve(FOLDER)
  const isClosed = user.uid !== undefined && closedFolder(dirname(folder)) !== undefined
  return isClosed ? FOLDER_OF_ROOT : folder
}

/** The folder above, or the folder itself, that other users may not pass through; `undefined` where there is none. */
function closedFolder(path: string): string | undefined {
  accessSync(path)
  const isOpen = (statSync(path).mode & 0o001) !== 0
  const above = dirname(path)
  return isOpen ? (above === path ? undefined : closedFolder(above)) : path
}

function newSecret(): string {
  return randomBytes(24).toString('base64url')
}
