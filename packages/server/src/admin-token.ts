import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import type { Config } from './config.ts'
import { readIfExists, writeDurably } from './util/durable-file.ts'
import { Redacted } from './util/secrets/redacted.ts'

/** The management API token and where it came from. */
export class AdminToken extends Redacted {
  /** The file that stores it; `null` if the token is configured. */
  readonly file: string | null
  /** Whether it was just created: the CLI then shows it once. */
  readonly isNew: boolean

  constructor(token: string, file: string | null, isNew: boolean) {
    super(token)
    this.file = file
    this.isNew = isNew
  }
}

/** Characters allowed in a bearer token (RFC 6750 §2.1). */
const BEARER_TOKEN = /^[\w.~+/=-]+$/

class AdminTokenCorruptedError extends Error {
  override readonly name = 'AdminTokenCorruptedError'
}

/** Returns the configured token, or else the one in `<dataDir>/admin-token`, which is created on first start. */
export function adminTokenOf(config: Pick<Config, 'adminToken' | 'dataDir'>): AdminToken {
  if (config.adminToken) return new AdminToken(config.adminToken.reveal(), null, false)
  const file = join(config.dataDir, 'admin-token')
  const stored = readIfExists(file)
  if (stored) {
    if (!BEARER_TOKEN.test(stored))
      throw new AdminTokenCorruptedError(
        `${file} does not contain a valid token. Restore it from a backup, or delete it: the next start creates a new token and prints it.`,
      )
    return new AdminToken(stored, file, false)
  }
  const token = `tok_${randomBytes(24).toString('base64url')}`
  writeDurably(file, token)
  return new AdminToken(token, file, true)
}
