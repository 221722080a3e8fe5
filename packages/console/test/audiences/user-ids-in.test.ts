import { expect, test } from 'vitest'
import { userIdsIn } from '../../src/pages/audiences/detail/user-ids-in.ts'

test('each line of pasted text is one userId, without duplicates', () => {
  expect(userIdsIn(' anna\r\nben\n\nanna\nwith space \n')).toEqual(['anna', 'ben', 'with space'])
})
