import { Problem } from '../problems/problem.ts'

// Positions are ids and numbers. Anything else did not come from encodeCursor.
const POSITION = /^[\w.:-]{1,200}$/

/** An opaque cursor for `position` in the list named `list`. */
export function encodeCursor(list: string, position: string): string {
  return Buffer.from(`${list} ${position}`).toString('base64url')
}

/**
 * The position that a cursor of this list stands for.
 * @throws {Problem} `invalid_cursor` if the cursor is invalid or belongs to another list
 */
export function decodeCursor(list: string, cursor: string): string {
  const [name, position = '', ...more] = Buffer.from(cursor, 'base64url').toString().split(' ')
  if (name !== list || more.length > 0 || !POSITION.test(position)) {
    throw new Problem('invalid_cursor')
  }
  return position
}
