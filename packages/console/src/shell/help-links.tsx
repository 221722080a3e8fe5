import type { ReactElement } from 'react'
import { SERVICE_URL } from '../api/addresses.ts'
import { Button } from '../design/controls/button.tsx'
import { setTheme, THEMES, useTheme } from '../format/theme.ts'

interface HelpLinksProps {
  /** Left out on narrow screens, which rarely have a keyboard. */
  readonly onKeys?: () => void
}

export function HelpLinks({ onKeys }: HelpLinksProps): ReactElement {
  return (
    <div className="text-note text-ink-soft flex flex-wrap items-center gap-x-3 px-2">
      <a href={`${SERVICE_URL}api/docs`} className="hover:text-ink py-1 hover:underline">
        API reference
      </a>
      {onKeys && (
        <Button variant="quiet" className="text-note -ml-3 min-h-7" onClick={onKeys}>
          Shortcuts <kbd>?</kbd>
        </Button>
      )}
      <ThemeSwitch />
    </div>
  )
}

function ThemeSwitch(): ReactElement {
  const theme = useTheme()
  const next = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length]!
  return (
    <Button
      variant="quiet"
      className="text-note -ml-3 min-h-7"
      title={`Switch to ${next}`}
      onClick={() => setTheme(next)}
    >
      Theme: {theme}
    </Button>
  )
}
