import type { ReactElement } from 'react'
import { type ApiProblem, problemOf } from '../../../api/problem.ts'

/** An error that the service reports for part of a definition. */
export type PartError = ApiProblem['errors'][number]

/** The distinct field errors of these requests. */
export function errorsOf(errors: readonly unknown[]): readonly PartError[] {
  return distinctErrors(errors.flatMap((each) => (each === null ? [] : problemOf(each).errors)))
}

export function distinctErrors(errors: readonly PartError[]): readonly PartError[] {
  return [...new Map(errors.map((each) => [`${each.pointer} ${each.message}`, each])).values()]
}

/** The errors at this pointer and below. */
export function errorsIn(errors: readonly PartError[], pointer: string): readonly PartError[] {
  return errors.filter((each) => each.pointer === pointer || each.pointer.startsWith(`${pointer}/`))
}

interface ErrorListProps {
  readonly errors: readonly PartError[]
}

export function ErrorList({ errors }: ErrorListProps): ReactElement | null {
  if (errors.length === 0) return null
  return (
    <div role="alert" className="text-failed text-dense">
      <ul className="flex flex-col gap-0.5">
        {errors.map(({ pointer, message, hint }) => (
          <li key={`${pointer} ${message}`}>
            {message} {hint}
          </li>
        ))}
      </ul>
    </div>
  )
}
