const RESOLVED_AWAY = /^~*\.{1,2}$/
const MARKED = /^~+\.{1,2}$/

/** A userId as a part of a path, not encoded. Browsers resolve "." and ".." away, also in their encoded form. */
export function pathPartOf(userId: string): string {
  return RESOLVED_AWAY.test(userId) ? `~${userId}` : userId
}

/** The userId of a part that `pathPartOf` has made. */
export function userIdIn(part: string): string {
  return MARKED.test(part) ? part.slice(1) : part
}
