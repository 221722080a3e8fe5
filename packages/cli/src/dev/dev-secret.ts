import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** The shared secret of the demo destination, and the file that keeps it from one run to the next. */
export function devSecret(dataDir: string): { readonly file: string; readonly secret: string } {
  const file = join(dataDir, 'dev-shared-secret')
  if (existsSync(file)) return { file, secret: readFileSync(file, 'utf8').trim() }
  const secret = randomBytes(24).toString('base64url')
  writeFileSync(file, `${secret}\n`, { mode: 0o600 })
  return { file, secret }
}
