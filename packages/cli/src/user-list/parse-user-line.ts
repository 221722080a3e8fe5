import { isJsonObject } from '@hookline/protocol'

/** The user of a line, `undefined` for a line without one, or why the line is wrong. */
export type ParsedUser =
  { readonly userId: string | undefined } | { readonly code: string; readonly message: string }

/** Parses the lines of a list of users, in their order. */
export type UserParser = (line: string) => ParsedUser

const LONGEST = 1_024
const HEADS = ['userid', 'user_id', 'user id', 'id']

/** The parser for a file: NDJSON where its name ends so, else CSV. */
export function userParser(file: string): UserParser {
  return /\.(?:ndjson|jsonl)$/i.test(file) ? parseJson : csvParser()
}

/** `"u1"`, or an object with a `userId`. */
function parseJson(line: string): ParsedUser {
  if (line.trim() === '') return { userId: undefined }
  try {
    const value: unknown = JSON.parse(line)
    const userId = isJsonObject(value) ? value['userId'] : value
    return typeof userId === 'string'
      ? checked(userId)
      : { code: 'no_user', message: 'The line is neither a text nor an object with a userId.' }
  } catch {
    return { code: 'invalid_json', message: 'The line is not JSON.' }
  }
}

/**
 * The column that the first line calls userId, user_id or id; without such a line, the first column. Commas separate
 * columns, or semicolons if the first line has them.
 */
function csvParser(): UserParser {
  let form: { readonly column: number; readonly separator: ',' | ';' } | undefined
  return (line) => {
    if (line.trim() === '') return { userId: undefined }
    if (form === undefined) {
      const head = headOf(line)
      form = head ?? { column: 0, separator: ',' }
      if (head !== undefined) return { userId: undefined }
    }
    const cells = cellsOf(line, form.separator)
    if (cells === undefined) {
      return { code: 'invalid_csv', message: 'A quote is not closed, or text follows it.' }
    }
    const userId = cells[form.column] ?? ''
    return userId === ''
      ? { code: 'no_user', message: `Column ${form.column + 1} is empty.` }
      : checked(userId)
  }
}

function headOf(line: string) {
  for (const separator of [',', ';'] as const) {
    const cells = cellsOf(line, separator) ?? []
    const column = cells.findIndex((cell) => HEADS.includes(cell.trim().toLowerCase()))
    if (column >= 0) return { column, separator }
  }
  return undefined
}

/** The cells of a line of CSV (RFC 4180); `undefined` if a quote is not closed. */
function cellsOf(line: string, separator: ',' | ';'): string[] | undefined {
  const cells: string[] = []
  const pattern = separator === ',' ? COMMA_CELL : SEMICOLON_CELL
  let rest = line
  for (;;) {
    const [cell] = pattern.exec(rest)!
    const next = rest.at(cell.length)
    if (next !== undefined && next !== separator) return undefined
    cells.push(cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell)
    if (next === undefined) return cells
    rest = rest.slice(cell.length + 1)
  }
}

const COMMA_CELL = /^(?:"(?:[^"]|"")*"|[^",]*)/
const SEMICOLON_CELL = /^(?:"(?:[^"]|"")*"|[^";]*)/

function checked(userId: string): ParsedUser {
  if (userId === '') return { code: 'no_user', message: 'The userId is empty.' }
  if (userId.length <= LONGEST) return { userId }
  return { code: 'user_too_long', message: `The userId has more than ${LONGEST} characters.` }
}
