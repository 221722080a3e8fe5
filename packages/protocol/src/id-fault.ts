import type { IngestCodeName } from './codes.ts'

const CONTROL_CHARACTER = /\p{Cc}/u

/**
 * The code for a text that cannot be the id of a user, a group or a call; `undefined` for any other text.
 * @param isUtf8 whether the bytes that the text was decoded from were UTF-8. If not, a U+FFFD in it may stand for any of
 * several bytes, so that two ids would become one.
 */
export function idFault(id: string, isUtf8 = true): IngestCodeName | undefined {
  // UTF-8 has no half characters: the database would store another id, and two ids as the same.
  if (!id.isWellFormed() || (!isUtf8 && id.includes('\ufffd'))) return 'id_not_unicode'
  return CONTROL_CHARACTER.test(id) ? 'id_control_character' : undefined
}
