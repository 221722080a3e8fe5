import { expect, test } from 'vitest'
import { createLogger } from '../../src/telemetry/logger.ts'

/** The logged message of an error. */
function logged(error: unknown): unknown {
  const lines: string[] = []
  createLogger('error', { write: (line) => void lines.push(line) }).error(
    { err: error },
    'ingest.overloaded',
  )
  return (JSON.parse(lines[0]!) as { err: { message?: string } }).err.message
}

test('the message of an error includes the messages of its causes, unless it contains them already', () => {
  const root = new Error('no space')
  const cause = new Error('disk', { cause: root })
  expect(logged(cause)).toBe('disk: no space')
  expect(logged(new Error('write: disk: no space.', { cause }))).toBe('write: disk: no space.')
  expect(logged(new Error('write: disk', { cause }))).toBe('write: disk: no space')
  expect(logged(new Error('write', { cause: 'text' }))).toBe('write')
})

test('an error with circular causes is logged', () => {
  const error = new Error('a')
  error.cause = new Error('b', { cause: error })
  expect(logged(error)).toContain('a: b')
})

test('the logged stack includes the causes, and a value that is not an error is logged as it is', () => {
  const lines: string[] = []
  const logger = createLogger('error', { write: (line) => void lines.push(line) })
  logger.error({ err: new Error('a', { cause: new RangeError('b') }) }, 'ingest.overloaded')
  logger.error({ err: 'text' }, 'ingest.overloaded')
  expect(lines[0]).toContain('caused by: RangeError: b')
  expect(JSON.parse(lines[1]!)).toMatchObject({ err: 'text' })
})
