import type { ReactElement } from 'react'
import type { Destination } from '@hookline/cli/management-client'
import { Icon } from '../../design/icon.tsx'
import { shownText } from '../../format/shown-text.ts'

interface WarningsProps {
  readonly warnings: Destination['warnings']
}

export function Warnings({ warnings = [] }: WarningsProps): ReactElement | undefined {
  if (warnings.length === 0) return undefined
  return (
    <ul role="status" className="bg-retrying-soft rounded-small flex flex-col gap-2 px-3 py-2">
      {warnings.map(({ pointer, code, message, hint }) => (
        <li key={`${pointer} ${code}`} className="flex gap-2">
          <Icon name="warning" className="text-retrying mt-1" />
          <p className="min-w-0">
            <span className="font-medium">{shownText(message)}</span> {shownText(hint, 500)}
          </p>
        </li>
      ))}
    </ul>
  )
}
