import type { IngestCodeName } from './codes.ts'

const CONTROL_CHARACTER = /\p{Cc}/u

/**
 * The error code for an invalid id of a user, a group or a call; `undefined` for a valid one.
 * @param isUtf8 whether the request was valid UTF-8. If not, a U+FFFD in the id may stand for any invalid bytes, so two
 *   ids could become one.
 */
export function idErrorCode(id: string, isUtf8 = true): IngestCodeName | undefined {
  // UTF-8 cannot encode a lone surrogate: the database would store a different id, or merge two ids.
  if (!id.isWellFormed() || (!isUtf8 && id.includes('\ufffd'))) return 'id_not_unicode'
  return CONTROL_CHARACTER.test(id) ? 'id_control_character' : undefined
}
