const RESOLVED_AWAY = /^~*\.{1,2}$/
const MARKED = /^~+\.{1,2}$/

/** A userId as a path segment, not encoded. Marks "." and "..", which browsers resolve even when encoded. */
export function pathPartOf(userId: string): string {
  return RESOLVED_AWAY.test(userId) ? `~${userId}` : userId
}

/** The inverse of `pathPartOf`. */
export function userIdIn(part: string): string {
  return MARKED.test(part) ? part.slice(1) : part
}
