import { Problem } from '../problems/problem.ts'

// Positions are ids and numbers; anything else was not made here.
const POSITION = /^[\w.:-]{1,200}$/

/** An opaque cursor for the place `position` in the list called `list`. */
export function encodeCursor(list: string, position: string): string {
  return Buffer.from(`${list} ${position}`).toString('base64url')
}

/**
 * The position a cursor of this list stands for.
 * @throws {Problem} `invalid_cursor` where it is not one
 */
export function decodeCursor(list: string, cursor: string): string {
  const [name, position = '', ...more] = Buffer.from(cursor, 'base64url').toString().split(' ')
  if (name !== list || more.length > 0 || !POSITION.test(position)) {
    throw new Problem('invalid_cursor')
  }
  return position
}
