import { describe, expect, it } from 'vitest'
import { type ParsedUser, userParser } from '../../src/user-list/parse-user-line.ts'

/** The user or the code of each line. */
function parsed(file: string, lines: readonly string[]): (string | undefined)[] {
  const parse = userParser(file)
  const shown = (each: ParsedUser): string | undefined =>
    'userId' in each ? each.userId : `!${each.code}`
  return lines.map((line) => shown(parse(line, true)))
}

describe('a list of users', () => {
  it.each<[string, string[], (string | undefined)[]]>([
    [
      'without a header, the first column',
      ['u1', 'u2,x', '', 'u;3'],
      ['u1', 'u2', undefined, 'u;3'],
    ],
    ['the column userId', ['name,userId', 'Ada,u1', 'Bo'], [undefined, 'u1', '!no_user']],
    ['the column user_id', ['USER_ID', 'u1'], [undefined, 'u1']],
    [
      'the column userId beside the id of the row',
      ['id,userId,email', '1,u1,a@b'],
      [undefined, 'u1'],
    ],
    ['a header with a repeated name', ['userId,userId', 'u1,u2'], ['!not_csv', '!not_csv']],
    [
      'a sep= line before the header',
      ['sep=;', 'name;userId', 'Al;u1'],
      [undefined, undefined, 'u1'],
    ],
    ['a header with semicolons', ['name;id', 'a,b;u1'], [undefined, 'u1']],
    [
      'quotes',
      ['id', '"u,1"', '"u""2"', '"u3', '"u4"x'],
      [undefined, 'u,1', 'u"2', '!invalid_csv', '!invalid_csv'],
    ],
    ['a header with tabs', ['name\tuserId', 'Ada, Inc\tu1', 'Bo\tu2'], [undefined, 'u1', 'u2']],
    ['tabs without a header', ['u1\tAda', 'Ada, Inc\tu1', 'u2'], ['!not_csv', '!not_csv', 'u2']],
    ['a tab in another column', ['id,note', 'u1,a\tb'], [undefined, 'u1']],
    [
      'a tab in the userId',
      ['id,note', 'u\t1,x', '"u\t2"'],
      [undefined, '!id_control_character', '!id_control_character'],
    ],
    ['lines that end with CR only', ['userId,name\ru1,Ada\ru2,Bo'], ['!not_csv']],
    [
      'lines that end with CR only, and the userId in another column',
      ['name,userId\rAda,u1'],
      ['!not_csv'],
    ],
    ['NUL characters', ['id', 'u\0', 'u1'], [undefined, '!not_csv', 'u1']],
    ['an unreadable first line', ['na\0me,id', 'Ada,u1'], ['!not_csv', '!not_csv']],
    ['a string that is too long', ['id', 'u'.repeat(1_025)], [undefined, '!user_too_long']],
  ])('is read from CSV: %s', (_what, lines, users) => {
    expect(parsed('users.csv', lines)).toEqual(users)
  })

  it('is read from NDJSON: strings, and objects with a userId', () => {
    const odd = [
      String.raw`"u\t1"`,
      String.raw`{"userId":"\ud83d"}`,
      '"u1"\r"u2"',
      '"u\t"',
      '12345678901234567890',
    ]
    const codes = [
      'id_control_character',
      'id_not_unicode',
      'invalid_json',
      'invalid_json',
      'id_not_string',
    ]
    expect(parsed('users.ndjson', odd)).toEqual(codes.map((code) => `!${code}`))
    const lines = ['"u1"', '{"userId":"u2","x":1}', '', '{"id":"u3"}', 'u4', '5', '""']
    const users = ['u1', 'u2', undefined, '!no_user', '!invalid_json', '!id_not_string', '!no_user']
    for (const file of ['users.ndjson', 'USERS.JSONL']) expect(parsed(file, lines)).toEqual(users)
  })
})
