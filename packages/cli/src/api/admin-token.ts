import { SETTINGS } from '@hookline/server/settings'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Failure } from '../failure.ts'
import { isLoopback } from '../loopback.ts'

export interface TokenOptions {
  /** The service that the token is sent to. */
  readonly url: URL
  /** A file that holds the token. */
  readonly tokenFile?: string
  /** The data folder of the service. */
  readonly dataDir?: string
}

/**
 * The admin token: from `--token-file`, else from HOOKLINE_ADMIN_TOKEN or the file that HOOKLINE_ADMIN_TOKEN_FILE names,
 * else from the file that the service keeps in its data folder. That file belongs to the service on this machine: another
 * service gets its content only if `--data-dir` names the folder. @throws {Failure} `auth` if there is no token
 */
export function findAdminToken({ url, tokenFile, dataDir }: TokenOptions): string {
  const { HOOKLINE_ADMIN_TOKEN, HOOKLINE_ADMIN_TOKEN_FILE } = process.env
  if (tokenFile === undefined && HOOKLINE_ADMIN_TOKEN) return HOOKLINE_ADMIN_TOKEN
  const given = tokenFile ?? HOOKLINE_ADMIN_TOKEN_FILE
  if (given === undefined && dataDir === undefined && !isLoopback(url.hostname)) {
    throw noToken(`No admin token was given for ${url.host}.`)
  }
  const file = given ?? join(dataDirOf(dataDir), 'admin-token')
  const token = contentOf(file)
  // The content of a wrong file must not go out as a header, nor appear in an error about that header.
  if (/^[\u0021-\u007e]+$/.test(token)) return token
  throw noToken(`${file} does not hold an admin token.`)
}

/** The data folder of the service: from `--data-dir`, else from HOOKLINE_DATA_DIR, else the default. */
export function dataDirOf(option: string | undefined): string {
  return option ?? process.env['HOOKLINE_DATA_DIR'] ?? SETTINGS.dataDir.default
}

function contentOf(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch (cause) {
    const isMissing = (cause as NodeJS.ErrnoException).code === 'ENOENT'
    const problem = isMissing ? 'does not exist' : 'cannot be read'
    throw noToken(`The file with the admin token, ${file}, ${problem}.`, cause)
  }
}

function noToken(message: string, cause?: unknown): Failure {
  return new Failure('auth', message, {
    cause,
    hint: 'Give its file with --token-file or the data folder of the service with --data-dir, or set HOOKLINE_ADMIN_TOKEN.',
  })
}
