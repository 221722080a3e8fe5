import { idErrorCode, INGEST_CODES, isJsonObject } from '@hookline/protocol'

/** The user of a line, `undefined` for a line without one, or why the line is wrong. */
export type ParsedUser =
  { readonly userId: string | undefined } | { readonly code: string; readonly message: string }

/**
 * Parses the lines of a user list, in order.
 * @param isUtf8 whether the bytes of the line were UTF-8; if not, U+FFFD replaces some of them
 */
export type UserParser = (line: string, isUtf8: boolean) => ParsedUser

const MAX_CHARACTERS = 1_024
/** Column names by precedence: in a database export, `id` may identify the row. */
const HEADER_NAMES = ['userid', 'user_id', 'user id', 'id']
const SEPARATORS = [',', ';', '\t'] as const
type Separator = (typeof SEPARATORS)[number]

export function userParser(file: string): UserParser {
  return /\.(?:ndjson|jsonl)$/i.test(file) ? parseJson : csvParser()
}

/** `"u1"`, or an object with a `userId`. */
function parseJson(line: string, isUtf8: boolean): ParsedUser {
  if (line.trim() === '') return { userId: undefined }
  try {
    const value: unknown = JSON.parse(line)
    const userId = isJsonObject(value) ? value['userId'] : value
    if (typeof userId === 'string') return checkUserId(userId, isUtf8)
    if (typeof userId === 'number')
      return { code: 'id_not_string', message: 'The userId is a number. Use a string.' }
    return { code: 'no_user', message: 'The line is neither a string nor an object with a userId.' }
  } catch {
    return { code: 'invalid_json', message: 'The line is not JSON.' }
  }
}

const NOT_CSV = {
  code: 'not_csv',
  message:
    'The line contains control characters. Save the file as UTF-8 CSV with one user per line.',
}

/** Any control character except tab: the file is UTF-16, has CR newlines, or is binary. */
const CONTROL = /[^\P{Cc}\t]/u

/** `sep=;`, which Excel expects before the header. */
const SEPARATOR_LINE = /^sep=.$/i

function csvParser(): UserParser {
  let header: ReturnType<typeof headerOf> | 'unreadable' | 'none'
  return (line, isUtf8) => {
    if (line.trim() === '') return { userId: undefined }
    if (CONTROL.test(line)) {
      header ??= 'unreadable'
      return NOT_CSV
    }
    // The unreadable first line may have been a header with other columns.
    if (header === 'unreadable') return NO_HEADER
    if (header === undefined) {
      if (SEPARATOR_LINE.test(line)) return { userId: undefined }
      header = headerOf(line) ?? 'none'
      if (typeof header === 'object') return { userId: undefined }
    }
    if (header === 'ambiguous') return AMBIGUOUS
    if (header !== 'none') return userIn(line, header, isUtf8)
    return line.includes('\t') ? NOT_CSV : userIn(line, { column: 0, separator: ',' }, isUtf8)
  }
}

const NO_HEADER = {
  code: 'not_csv',
  message: 'The first line is not UTF-8 CSV, so the userId column is unknown.',
}

const AMBIGUOUS = {
  code: 'not_csv',
  message: 'The header has more than one userId column.',
}

interface Header {
  readonly column: number
  readonly separator: Separator
}

function headerOf(line: string): Header | 'ambiguous' | undefined {
  for (const separator of SEPARATORS) {
    const cells = (cellsOf(line, separator) ?? []).map((cell) => cell.trim().toLowerCase())
    const name = HEADER_NAMES.find((each) => cells.includes(each))
    if (name === undefined) continue
    const column = cells.indexOf(name)
    return column === cells.lastIndexOf(name) ? { column, separator } : 'ambiguous'
  }
  return undefined
}

function userIn(line: string, { column, separator }: Header, isUtf8: boolean): ParsedUser {
  const cells = cellsOf(line, separator)
  if (cells === undefined) {
    return {
      code: 'invalid_csv',
      message: 'A quoted value is not closed, or text follows its closing quote.',
    }
  }
  const userId = cells[column] ?? ''
  return userId === ''
    ? { code: 'no_user', message: `The userId (column ${column + 1}) is empty.` }
    : checkUserId(userId, isUtf8)
}

/** The cells of a line of CSV (RFC 4180); `undefined` if its quotes are invalid. */
function cellsOf(line: string, separator: Separator): string[] | undefined {
  const cells: string[] = []
  const pattern = CELLS[separator]
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

const CELLS: Readonly<Record<Separator, RegExp>> = {
  ',': /^(?:"(?:[^"]|"")*"|[^",]*)/,
  ';': /^(?:"(?:[^"]|"")*"|[^";]*)/,
  '\t': /^(?:"(?:[^"]|"")*"|[^"\t]*)/,
}

function checkUserId(userId: string, isUtf8: boolean): ParsedUser {
  if (userId === '') return { code: 'no_user', message: 'The userId is empty.' }
  const code = idErrorCode(userId, isUtf8)
  if (code !== undefined) return { code, message: INGEST_CODES[code].message }
  if (userId.length <= MAX_CHARACTERS) return { userId }
  return {
    code: 'user_too_long',
    message: `The userId has more than ${MAX_CHARACTERS} characters.`,
  }
}
