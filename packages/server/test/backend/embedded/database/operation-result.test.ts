import { closeSync, openSync, writeSync } from 'node:fs'
import { expect, test } from 'vitest'
import { BackendUnavailableError } from '../../../../src/backend/backend.ts'
import { errorOf, failureOf } from '../../../../src/backend/embedded/database/sqlite-errors.ts'

function thrownBy(work: () => unknown): unknown {
  try {
    work()
  } catch (error) {
    return error
  }
  throw new Error('It did not throw.')
}

const unavailable = (cause: Error): BackendUnavailableError =>
  new BackendUnavailableError(cause.message)

test('a full disk makes the backend unavailable, even for a file written without SQLite', () => {
  const full = openSync('/dev/full', 'w')
  const error = thrownBy(() => writeSync(full, 'x'))
  closeSync(full)
  expect(errorOf(failureOf(error), unavailable)).toEqual(new BackendUnavailableError('ENOSPC'))
})

test('other file system errors do not make the backend unavailable', () => {
  const error = thrownBy(() => openSync('/missing/file', 'r'))
  expect(errorOf(failureOf(error), unavailable)).not.toBeInstanceOf(BackendUnavailableError)
})
