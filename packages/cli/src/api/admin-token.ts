import { SETTINGS } from '@hookline/server/settings'
import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { join } from 'node:path'
import { Failure } from '../failure.ts'

export interface TokenOptions {
  /** The service that will see the token. */
  readonly url: URL
  /** A file that holds the token. */
  readonly tokenFile?: string
  /** The data folder of the service. */
  readonly dataDir?: string
}

/**
 * The admin token: from `--token-file`, else HOOKLINE_ADMIN_TOKEN, else the file that the service keeps
 * in its data folder. That file belongs to the service on this machine: unless named, it is sent to
 * no other. @throws {Failure} `auth` where there is none
 */
export function findAdminToken(options: TokenOptions): string {
  const { HOOKLINE_ADMIN_TOKEN, HOOKLINE_DATA_DIR } = process.env
  if (options.tokenFile === undefined && HOOKLINE_ADMIN_TOKEN) return HOOKLINE_ADMIN_TOKEN
  if (
    options.tokenFile === undefined &&
    options.dataDir === undefined &&
    !isLoopback(options.url)
  ) {
    throw noToken(`The token for ${options.url.host} is not set.`)
  }
  const dataDir = options.dataDir ?? HOOKLINE_DATA_DIR ?? SETTINGS.dataDir.default
  const file = options.tokenFile ?? join(dataDir, 'admin-token')
  const token = contentOf(file)
  // What else may be in a wrong file must not go out as a header, or be quoted in an error about one.
  if (/^[\u0021-\u007e]+$/.test(token)) return token
  throw noToken(`${file} holds no admin token.`)
}

function isLoopback({ hostname }: URL): boolean {
  return (
    hostname === 'localhost' ||
    hostname === '[::1]' ||
    (isIP(hostname) === 4 && hostname.startsWith('127.'))
  )
}

function contentOf(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch (cause) {
    const isMissing = (cause as NodeJS.ErrnoException).code === 'ENOENT'
    throw noToken(`The admin token ${isMissing ? 'is not' : 'cannot be read'} in ${file}.`, cause)
  }
}

function noToken(message: string, cause?: unknown): Failure {
  return new Failure('auth', message, {
    cause,
    hint: 'Name its file with --token-file or the data folder of the service with --data-dir, or set HOOKLINE_ADMIN_TOKEN.',
  })
}
