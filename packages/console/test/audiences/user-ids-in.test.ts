import { expect, test } from 'vitest'
import { userIdsIn } from '../../src/pages/audiences/detail/user-ids-in.ts'

test('each line of a text that was pasted is one userId, and each userId is one time in the list', () => {
  expect(userIdsIn(' anna\r\nben\n\nanna\nwith space \n')).toEqual(['anna', 'ben', 'with space'])
})
