import { SETTINGS } from '@hookline/server/settings'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Failure } from '../failure.ts'
import { isLoopback } from '../loopback.ts'

export interface TokenOptions {
  readonly url: URL
  readonly tokenFile?: string
  readonly dataDir?: string
}

/**
 * Uses --token-file, HOOKLINE_ADMIN_TOKEN, HOOKLINE_ADMIN_TOKEN_FILE, or the file in the data folder. Sends the token
 * from a local data folder to a remote service only if --data-dir is given. @throws {Failure} `auth` without a token
 */
export function findAdminToken({ url, tokenFile, dataDir }: TokenOptions): string {
  const { HOOKLINE_ADMIN_TOKEN, HOOKLINE_ADMIN_TOKEN_FILE } = process.env
  if (tokenFile === undefined && HOOKLINE_ADMIN_TOKEN) return HOOKLINE_ADMIN_TOKEN
  const namedFile = tokenFile ?? HOOKLINE_ADMIN_TOKEN_FILE
  if (namedFile === undefined && dataDir === undefined && !isLoopback(url.hostname)) {
    throw noToken(`No API token found for ${url.host}.`)
  }
  const file = namedFile ?? join(dataDirOf(dataDir), 'admin-token')
  const token = contentOf(file)
  // If this is the wrong file, its content must not appear in a header, or in an error about that
  // header.
  if (/^[\u0021-\u007e]+$/.test(token)) return token
  throw noToken(`${file} does not contain an API token.`)
}

export function dataDirOf(option: string | undefined): string {
  return option ?? process.env['HOOKLINE_DATA_DIR'] ?? SETTINGS.dataDir.default
}

function contentOf(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch (cause) {
    const isMissing = (cause as NodeJS.ErrnoException).code === 'ENOENT'
    const problem = isMissing ? 'does not exist' : 'cannot be read'
    throw noToken(`The token file ${file} ${problem}.`, cause)
  }
}

function noToken(message: string, cause?: unknown): Failure {
  return new Failure('auth', message, {
    cause,
    hint: 'Pass --token-file or --data-dir, or set HOOKLINE_ADMIN_TOKEN.',
  })
}
