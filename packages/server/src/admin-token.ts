import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import type { Config } from './config.ts'
import { readIfThere, writeDurably } from './util/durable-file.ts'
import { Redacted } from './util/redacted.ts'

/** The token of the management API, with its origin. */
export class AdminToken extends Redacted {
  /** The file that contains it; `null` where the operator set it. */
  readonly file: string | null
  /** Whether it was just created. Then the CLI shows it once. */
  readonly isNew: boolean

  constructor(token: string, file: string | null, isNew: boolean) {
    super(token)
    this.file = file
    this.isNew = isNew
  }
}

/** The token that the operator set, else the one in `<dataDir>/admin-token`, which the first start creates. */
export function adminTokenOf(config: Pick<Config, 'adminToken' | 'dataDir'>): AdminToken {
  if (config.adminToken) return new AdminToken(config.adminToken.reveal(), null, false)
  const file = join(config.dataDir, 'admin-token')
  const kept = readIfThere(file)
  if (kept) return new AdminToken(kept, file, false)
  const token = `tok_${randomBytes(24).toString('base64url')}`
  writeDurably(file, token)
  return new AdminToken(token, file, true)
}
