import type { ReactElement } from 'react'
import type { PartFault } from '../draft/faults.ts'

/** What is wrong, and what to do about it. */
export function FaultList({
  faults,
}: {
  readonly faults: readonly PartFault[]
}): ReactElement | null {
  if (faults.length === 0) return null
  return (
    <div role="alert" className="text-failed text-dense">
      <ul className="flex flex-col gap-0.5">
        {faults.map(({ pointer, message, hint }) => (
          <li key={`${pointer} ${message}`}>
            {message} {hint}
          </li>
        ))}
      </ul>
    </div>
  )
}
