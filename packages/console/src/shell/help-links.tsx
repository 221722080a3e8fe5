import type { ReactElement } from 'react'
import { SERVICE_URL } from '../api/addresses.ts'
import { Button } from '../design/controls/button.tsx'

interface HelpLinksProps {
  /** Shows the keys. Left out where there is no keyboard. */
  readonly onKeys?: () => void
}

/** The way to what helps: the keys of the console, and the API that everything here can be done with, too. */
export function HelpLinks({ onKeys }: HelpLinksProps): ReactElement {
  return (
    <div className="text-note text-ink-soft flex flex-wrap items-center gap-x-3 px-2">
      <a href={`${SERVICE_URL}api/docs`} className="hover:text-ink py-1 hover:underline">
        API reference
      </a>
      {onKeys && (
        <Button look="quiet" className="text-note min-h-7 px-2" onClick={onKeys}>
          Keys <kbd>?</kbd>
        </Button>
      )}
    </div>
  )
}
