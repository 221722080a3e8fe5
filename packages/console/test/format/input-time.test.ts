import { expect, test } from 'vitest'
import { inputTime, timeOfInput } from '../../src/format/input-time.ts'

test('a time input is read and shown in the chosen zone', () => {
  expect(timeOfInput('2026-11-23T10:00', 'utc')).toBe('2026-11-23T10:00:00.000Z')
  expect(timeOfInput('', 'utc')).toBeUndefined()
  expect(inputTime('2026-11-23T10:00:00.000Z', 'utc')).toBe('2026-11-23T10:00:00')
  const local = inputTime('2026-11-23T10:00:00.000Z', 'local')
  expect(timeOfInput(local, 'local')).toBe('2026-11-23T10:00:00.000Z')
  expect(inputTime(undefined, 'utc')).toBe('')
})
