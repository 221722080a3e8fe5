import { Failure } from '../failure.ts'

/** Why a file could not be written. */
export function writeFailure(file: string, cause: unknown): Failure {
  const { code, message } = cause as NodeJS.ErrnoException
  return new Failure('failed', `${file} cannot be written: ${code ?? message}.`, {
    cause,
    hint: 'Check that the folder is there, that this user may write it, and that the disk has room.',
  })
}
