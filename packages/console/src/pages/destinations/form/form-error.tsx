import type { ReactElement } from 'react'
import { problemOf } from '../../../api/problem.ts'
import { shownText } from '../../../format/shown-text.ts'

/** Why a request was rejected; the fields show their own errors. */
export function FormError({ error }: { readonly error: unknown }): ReactElement | undefined {
  if (!error) return undefined
  const { message, errors } = problemOf(error)
  return (
    <div role="alert" className="bg-failed-soft text-failed rounded-small px-3 py-2">
      <p>{shownText(message)}</p>
      {errors.length > 1 && <p>{errors.length} errors to fix.</p>}
    </div>
  )
}
