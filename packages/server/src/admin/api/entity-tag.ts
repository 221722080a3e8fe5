import { Problem } from '../problems/problem.ts'

/** The ETag of a record at this version. */
export function entityTag(version: number): string {
  return `"${version}"`
}

/**
 * Passes where the header If-Match is absent or names this version (RFC 9110 §13.1.1).
 * @throws {Problem} `version_mismatch` otherwise
 */
export function requireMatch(ifMatch: string | undefined, version: number): void {
  if (ifMatch === undefined || ifMatch.trim() === '*') return
  const tags = ifMatch.split(',').map((tag) => tag.trim())
  if (!tags.includes(entityTag(version))) throw new Problem('version_mismatch')
}
