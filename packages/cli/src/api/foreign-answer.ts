import { Failure } from '../failure.ts'

/** The failure where something answers that is no Hookline. */
export function foreignAnswer(status: number): Failure {
  const message = `Something else than Hookline answers there (status ${status}).`
  return new Failure('failed', message, {
    code: 'foreign_answer',
    hint: 'Check --url or HOOKLINE_URL: it is the address that `hookline start` shows, without a path.',
  })
}
