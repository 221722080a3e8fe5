import { Problem } from '../problems/problem.ts'

// A cursor is the name of its list and a position in it: an id, a number, or the userId of a user.
const CURSOR = /^(\S+) (.{1,2000})$/su

/** An opaque cursor for `position` in the list named `list`. */
export function encodeCursor(list: string, position: string): string {
  return Buffer.from(`${list} ${position}`).toString('base64url')
}

/**
 * The position that a cursor of this list stands for.
 * @throws {Problem} `invalid_cursor` if the cursor is invalid or belongs to another list
 */
export function decodeCursor(list: string, cursor: string): string {
  const [, name, position] = CURSOR.exec(Buffer.from(cursor, 'base64url').toString()) ?? []
  if (name !== list || position === undefined) throw new Problem('invalid_cursor')
  return position
}
