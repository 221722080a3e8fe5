import { describe, expect, it } from 'vitest'
import { type ParsedUser, userParser } from '../../src/user-list/parse-user-line.ts'

/** The user or the code of each line. */
function parsed(file: string, lines: readonly string[]): (string | undefined)[] {
  const parse = userParser(file)
  const shown = (each: ParsedUser): string | undefined =>
    'userId' in each ? each.userId : `!${each.code}`
  return lines.map((line) => shown(parse(line)))
}

describe('a list of users', () => {
  it.each<[string, string[], (string | undefined)[]]>([
    ['without a head, the first column', ['u1', 'u2,x', '', 'u;3'], ['u1', 'u2', undefined, 'u;3']],
    ['the column userId', ['name,userId', 'Ada,u1', 'Bo'], [undefined, 'u1', '!no_user']],
    ['the column user_id', ['USER_ID', 'u1'], [undefined, 'u1']],
    ['a head with semicolons', ['name;id', 'a,b;u1'], [undefined, 'u1']],
    [
      'quotes',
      ['id', '"u,1"', '"u""2"', '"u3', '"u4"x'],
      [undefined, 'u,1', 'u"2', '!invalid_csv', '!invalid_csv'],
    ],
    ['a text that is too long', ['id', 'u'.repeat(1_025)], [undefined, '!user_too_long']],
  ])('is read from CSV: %s', (_what, lines, users) => {
    expect(parsed('users.csv', lines)).toEqual(users)
  })

  it('is read from NDJSON: texts, and objects with a userId', () => {
    const lines = ['"u1"', '{"userId":"u2","x":1}', '', '{"id":"u3"}', 'u4', '5', '""']
    const users = ['u1', 'u2', undefined, '!no_user', '!invalid_json', '!no_user', '!no_user']
    for (const file of ['users.ndjson', 'USERS.JSONL']) expect(parsed(file, lines)).toEqual(users)
  })
})
